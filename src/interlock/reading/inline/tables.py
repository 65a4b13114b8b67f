"""What code may name that only computes, language by language. Whatever is not named here is not read.

words      parts of the grammar and constants: they stand anywhere
calls      functions that compute or print, by their bare name
methods    what may be called on a value
members    a name that means nothing alone, and what of it may be used: `Math` and its functions
settings   variables of the environment whose values are no secrets
touches    functions whose first argument, a literal, is a place, and in which role: `read`, `write`, `list`, an address
           (`fetch`) and so on
stdin      literals that stand for standard input where such a function takes a file, each with its kind
callbacks  functions that call what they are given, and at which place: there an inline function must stand
"""

from __future__ import annotations

from ...value import TYPE_CHECKING, FrozenMap, Value

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["LANGUAGES", "LIBRARIES", "Language"]


class Language(Value):
    words: frozenset[str]
    calls: frozenset[str]
    methods: frozenset[str] = frozenset()
    members: Mapping[str, frozenset[str]] = FrozenMap({})
    touches: Mapping[str, str] = FrozenMap({})
    stdin: frozenset[tuple[str, str]] = frozenset()
    callbacks: Mapping[str, tuple[int, ...]] = FrozenMap({})
    settings: frozenset[str] = frozenset()
    functions: frozenset[str] = frozenset()  # words with which an inline function begins
    refused: frozenset[str] = frozenset()  # names of properties and keys
    refused_marks: tuple[str, ...] = ()  # texts that are not read anywhere
    joins: frozenset[str] = frozenset((".",))  # between a value and what is asked of it
    properties: bool = True  # what is asked without being called is data
    quotes: str = "\"'"
    filled: str = ""  # quotes of texts that hold code between `opens` and `}`
    opens: str = "${"
    spliced: str = ""  # quotes of texts that hold variables
    long_texts: bool = True
    letters: str = ""
    asks: bool = False  # names may end in `?` and `!`
    sigils: str = ""
    comments: tuple[str, ...] = ("#",)
    blocks: bool = False
    patterns: bool = False
    classes_hold_slashes: bool = False
    divides_after_parentheses: bool = True
    divides_names: str = ""  # `always`, or `spaced`
    before_patterns: frozenset[str] = frozenset()  # words
    values: frozenset[str] = frozenset()  # words that are values: a `/` behind them divides
    odd_texts: bool = False  # `?x` and `%-x-` are texts

    def takes(self, sign: str) -> bool:
        return sign != "\\"


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


def _members(**members: str) -> Mapping[str, frozenset[str]]:
    return FrozenMap({name: _set(words) for name, words in members.items()})


_JAVASCRIPT = Language(
    words=_set(
        "const let var if else for of in while return true false null undefined NaN Infinity typeof instanceof "
        "new void "
        "async await function break continue delete try catch throw"
    ),
    calls=_set(
        "String Number Boolean BigInt parseInt parseFloat isNaN isFinite encodeURIComponent decodeURIComponent "
        "encodeURI "
        "decodeURI structuredClone btoa atob Date Set Map URL URLSearchParams Error Array"
    ),
    methods=_set(
        "at concat every filter find findIndex findLast findLastIndex flat flatMap forEach includes indexOf join keys "
        "values entries lastIndexOf map pop push reduce reduceRight reverse shift slice some sort splice toReversed "
        "toSorted unshift charAt charCodeAt codePointAt endsWith localeCompare match matchAll normalize padEnd "
        "padStart "
        "repeat replace replaceAll split startsWith substring toLowerCase toUpperCase toLocaleLowerCase trim trimEnd "
        "trimStart toString toFixed toPrecision toLocaleString toISOString toJSON toDateString getTime getFullYear "
        "getMonth getDate getDay getHours getMinutes getSeconds getTimezoneOffset toUTCString valueOf has get set add "
        "format formatToParts formatRange resolvedOptions "
        "delete test exec then catch finally json text on end digest update resume setEncoding write "
        "listen close address writeHead setHeader getHeader"
    ),
    members=_members(
        console="log error table info warn dir",
        JSON="parse stringify",
        Math="abs acos asin atan atan2 cbrt ceil cos exp floor hypot log log10 log2 max min pow random round sign sin "
        "sqrt tan trunc PI E",
        Object="keys values entries fromEntries groupBy is",
        Array="isArray from of",
        Number="isInteger isFinite isNaN isSafeInteger parseFloat parseInt MAX_SAFE_INTEGER MIN_SAFE_INTEGER EPSILON "
        "MAX_VALUE MIN_VALUE",
        String="fromCharCode fromCodePoint raw",
        Date="now parse UTC",
        Buffer="from byteLength",
        Promise="all resolve",
        Intl="NumberFormat DateTimeFormat Collator ListFormat PluralRules RelativeTimeFormat DisplayNames "
        "getCanonicalLocales supportedValuesOf",
        Bun="version revision",
        process="version versions platform arch cwd uptime memoryUsage exit exitCode argv pid release features hrtime "
        "stdin stdout stderr",
        performance="now",
        fs="readFileSync existsSync readdirSync statSync writeFileSync appendFileSync mkdirSync",
        path="join resolve basename dirname extname relative normalize sep parse format isAbsolute",
        os="cpus platform arch totalmem freemem EOL release type availableParallelism endianness uptime",
        util="inspect format types isDeepStrictEqual",
        crypto="randomUUID randomBytes createHash getHashes",
        http="get createServer STATUS_CODES",
        https="get",
        url="parse",
    ),
    touches=FrozenMap(
        {
            "fs.readFileSync": "read",
            "fs.existsSync": "count",
            "fs.statSync": "count",
            "fs.readdirSync": "list",
            "fs.writeFileSync": "write",
            "fs.appendFileSync": "write",
            "fs.mkdirSync": "folder",
            "http.get": "fetch",
            "https.get": "fetch",
            "fetch": "fetch",
        }
    ),
    stdin=frozenset((("number", "0"), ("text", "/dev/stdin"))),
    callbacks=FrozenMap(
        {
            **dict.fromkeys(
                "every filter find findIndex findLast findLastIndex flatMap forEach map reduce reduceRight some sort "
                "toSorted".split(),
                (0,),
            ),
            **dict.fromkeys(("then", "catch", "finally"), (0, 1)),
            **dict.fromkeys(("replace", "replaceAll", "stringify", "parse", "from", "groupBy", "on", "get"), (1,)),
            "createServer": (0,),
            "write": (1, 2),
            "end": (1, 2),
            "listen": (2,),
            "close": (0,),
        }
    ),
    settings=_set("PORT HOST NODE_ENV CI DEBUG LOG_LEVEL TZ LANG VERBOSE"),
    functions=_set("async function"),
    refused=_set(
        "constructor prototype __proto__ toString valueOf toJSON then get set env mainModule binding dlopen "
        "prepareStackTrace agent socket connection createConnection listen "
        "__defineGetter__ __defineSetter__ __lookupGetter__ __lookupSetter__ caller callee arguments"
    ),
    refused_marks=("<!--", "-->"),
    joins=frozenset((".", "?.")),
    quotes="\"'`",
    filled="`",
    long_texts=False,
    letters="$",
    comments=("//",),
    blocks=True,
    patterns=True,
    classes_hold_slashes=True,
    divides_after_parentheses=False,
    divides_names="always",
    before_patterns=_set("return typeof of in"),
    values=_set("true false null undefined NaN Infinity"),
)

_RUBY = Language(
    words=_set(
        "if unless else elsif end then do while until for in and or not true false nil case when return next break "
        "RUBY_VERSION RUBY_PLATFORM RUBY_ENGINE RUBY_PATCHLEVEL RUBY_RELEASE_DATE RUBY_COPYRIGHT RUBY_DESCRIPTION"
    ),
    calls=_set("puts p pp print printf format sprintf Integer Float String Array Rational rand exit"),
    methods=_set(
        "keys values length size count first last map each each_with_index each_with_object select reject filter "
        "filter_map find detect sort sort_by min max min_by max_by sum uniq flatten compact reverse join split strip "
        "chomp upcase downcase capitalize swapcase include? empty? nil? any? all? none? one? key? has_key? "
        "value? fetch "
        "dig to_s to_i to_f to_a to_h to_sym to_json inspect group_by partition zip take drop take_while drop_while "
        "tally each_slice each_cons each_char each_line lines chars bytes start_with? end_with? sub gsub tr squeeze "
        "sub! gsub! "
        "match? scan index slice round floor ceil abs even? odd? zero? positive? negative? times upto downto step "
        "transform_values transform_keys merge sort! reverse! uniq! compact! is_a? class sum product transpose rotate "
        "values_at flat_map reduce inject between? clamp divmod pow gcd lcm digits succ pred ljust rjust center "
        "strftime year month day hour min sec wday yday iso8601 to_date to_time freeze dup ord chr hex oct bytesize "
        "encoding valid_encoding? force_encoding unicode_normalize each_key each_value each_pair then lazy with_index "
        "puts print write sample shuffle push concat key invert cycle max_by minmax entries headers by_col"
    ) - {"then"},
    members=_members(
        File="read readlines exist? file? directory? size basename extname dirname join write",
        JSON="parse pretty_generate generate",
        YAML="safe_load safe_load_file dump",
        CSV="read parse",
        Dir="glob children entries exist? pwd mkdir",
        Math="sqrt sin cos tan atan log log2 log10 exp hypot cbrt pow PI E",
        Time="now at",
        Date="today",
        Set="new",
        SecureRandom="hex uuid random_number alphanumeric",
        STDIN="read each_line readlines gets",
    ),
    touches=FrozenMap(
        {
            "File.read": "read", "File.readlines": "read", "File.exist?": "count", "File.file?": "count",
            "File.directory?": "count", "File.size": "count", "YAML.safe_load_file": "read", "CSV.read": "read",
            "Dir.glob": "list", "Dir.children": "list", "Dir.entries": "list", "Dir.exist?": "count",
            "File.write": "write", "Dir.mkdir": "folder",
        }
    ),
    refused=_set("create_additions object_class array_class decimal_class load_proc permitted_classes freeze"),
    refused_marks=(
        "`", "%x", "%q", "%Q", "%r", "%w", "%i", "%W", "%I", "%(", "%[", "%{", "%<", "%|", "%!", "%/", "<<", "->", "#@",
        "#$", "=begin", "__END__", '?"', "?'", "$'", '$"', "::", "&(",
    ),
    joins=frozenset((".", "&.")),
    properties=False,
    filled='"',
    opens="#{",
    asks=True,
    sigils="@$",
    patterns=True,
    divides_names="spaced",
    before_patterns=_set("if unless and or not when while until return"),
    values=_set("true false nil"),
    odd_texts=True,
)  # fmt: skip

_PHP = Language(
    words=_set(
        "echo print if else elseif for foreach as while return true false null TRUE FALSE NULL and or xor fn "
        "function use "
        "array isset empty PHP_VERSION PHP_EOL PHP_OS PHP_OS_FAMILY PHP_INT_MAX PHP_INT_SIZE PHP_MAJOR_VERSION "
        "PHP_MINOR_VERSION PHP_VERSION_ID PHP_BINARY PHP_SAPI M_PI M_E JSON_PRETTY_PRINT JSON_UNESCAPED_SLASHES "
        "JSON_UNESCAPED_UNICODE JSON_THROW_ON_ERROR SORT_STRING SORT_NUMERIC PHP_FLOAT_EPSILON E_ALL DATE_ATOM "
        "ARRAY_FILTER_USE_KEY FILE_IGNORE_NEW_LINES FILE_SKIP_EMPTY_LINES FILE_APPEND LOCK_EX PREG_SPLIT_NO_EMPTY STDIN"
    ),
    calls=_set(
        "print_r var_dump var_export printf sprintf number_format count sizeof strlen mb_strlen strtoupper strtolower "
        "ucfirst ucwords lcfirst trim ltrim rtrim implode explode join str_repeat str_replace str_pad str_contains "
        "str_starts_with str_ends_with substr strpos strrev nl2br wordwrap array_keys array_values array_merge "
        "array_sum array_product array_unique array_reverse array_slice array_combine array_flip array_column "
        "array_key_exists array_search array_fill array_chunk array_diff array_intersect array_key_first "
        "array_key_last "
        "array_map array_filter array_reduce usort uasort uksort sort rsort ksort krsort asort arsort in_array "
        "range max "
        "min abs ceil floor round sqrt pow intdiv fmod rand mt_rand random_int random_bytes intval floatval strval "
        "boolval is_array is_string is_int is_null is_numeric json_encode json_decode json_last_error_msg date time "
        "microtime strtotime mktime checkdate md5 sha1 crc32 hash bin2hex hex2bin base64_encode base64_decode "
        "urlencode "
        "urldecode rawurlencode htmlspecialchars phpversion php_sapi_name extension_loaded get_loaded_extensions "
        "function_exists class_exists ini_get memory_get_usage sys_get_temp_dir gettype get_debug_type preg_match "
        "preg_split preg_quote mb_strtoupper mb_strtolower mb_substr dechex hexdec bindec decbin "
        "version_compare uniqid password_hash password_verify exit die file_get_contents file is_file is_dir "
        "file_exists "
        "filesize scandir parse_ini_file stream_get_contents fgets feof file_put_contents mkdir "
        "serialize ctype_digit ctype_alpha similar_text levenshtein"
    ),
    touches=FrozenMap(
        {
            **dict.fromkeys(("file_get_contents", "file", "parse_ini_file"), "read"),
            **dict.fromkeys(("is_file", "is_dir", "file_exists", "filesize"), "count"),
            "scandir": "list",
            "file_put_contents": "write",
            "mkdir": "folder",
        }
    ),
    stdin=frozenset((("text", "php://stdin"), ("text", "/dev/stdin"))),
    callbacks=FrozenMap(
        {"array_map": (0,), **dict.fromkeys(("array_filter", "array_reduce", "usort", "uasort", "uksort"), (1,))}
    ),
    functions=_set("fn function"),
    refused_marks=("`", "<<<", "?>", "<?", "$$", "::", "?->", "@", "#["),
    joins=frozenset(("->",)),
    spliced='"',
    sigils="$",
    comments=("#", "//"),
    blocks=True,
)

_PERL = Language(
    words=_set(
        "if unless else elsif for foreach while until my and or not eq ne lt gt le ge cmp x return last next END "
        "STDOUT STDERR ARGV"
    ),
    calls=_set(
        "close eof print printf say sprintf length uc lc ucfirst lcfirst join split sort reverse map grep keys values "
        "scalar push "
        "pop shift unshift abs int sqrt sin cos atan2 exp log hex oct ord chr substr index rindex defined exists time "
        "localtime gmtime exit die warn chomp chop rand srand lcfirst wantarray each sum sum0 min max first uniq "
        "product floor ceil strftime Dumper"
    ),
    refused_marks=(
        "`", "<<", "<>", "->(", "&$", "&{", "::", "$'", '$"', "$`", "print{", "print {", "\n=", "$^", "%ENV", "$ENV",
        "@ENV", "__", "*{", "$0", "->$", "->@",
    ),
    joins=frozenset(("->",)),
    properties=False,
    spliced='"',
    sigils="$@%",
    patterns=True,
    before_patterns=_set("if unless and or not split grep while until return"),
)  # fmt: skip

_R = Language(
    words=_set(
        "if else for in while repeat break next function TRUE FALSE T F NULL NA Inf NaN pi letters LETTERS month.name "
        "R.version.string R.version mtcars iris NA_integer_ NA_character_"
    ),
    calls=_set(
        "print cat paste paste0 format sprintf nchar toupper tolower substr substring strsplit gsub sub grepl grep "
        "regmatches trimws rev sort order unique table summary str head tail nrow ncol dim names colnames "
        "rownames length "
        "sum mean median sd var min max range quantile round floor ceiling sqrt exp log log2 log10 abs cumsum cumprod "
        "diff seq seq_len seq_along rep c list data.frame matrix vector numeric character logical factor levels class "
        "typeof is.na is.null is.numeric as.numeric as.integer as.character as.logical as.Date which any all ifelse "
        "cbind rbind merge subset colMeans rowMeans colSums rowSums cor t apply sapply lapply vapply invisible "
        "suppressWarnings "
        "Sys.time Sys.Date sessionInfo packageVersion nlevels tabulate cut duplicated is.element setdiff union "
        "intersect "
        "identical stopifnot message set.seed rnorm runif sample read.csv read.table read.delim readLines "
        "file.exists list.files dir.exists library suppressPackageStartupMessages lm coef anova t.test "
        "fromJSON nlevels unlist"
    ),
    touches=FrozenMap(
        {
            **dict.fromkeys(("read.csv", "read.table", "read.delim", "readLines", "fromJSON"), "read"),
            **dict.fromkeys(("file.exists", "dir.exists"), "count"),
            "list.files": "list",
        }
    ),
    callbacks=FrozenMap({"apply": (2,), **dict.fromkeys(("sapply", "lapply", "vapply"), (1,))}),
    functions=_set("function"),
    refused=_set("file FUN f X con sep2 pager editor browser device error warn"),
    refused_marks=("`", "::", "@", "?", "\\(", "%o%"),
    joins=frozenset(("$",)),
    letters=".",
)  # fmt: skip

_LUA = Language(
    words=_set(
        "local if then else elseif end for in do while repeat until and or not nil true false return function _VERSION"
    ),
    calls=_set("print tostring tonumber type pairs ipairs select next"),
    methods=_set("rep upper lower sub len reverse format byte find match gmatch gsub"),
    members=_members(
        string="rep upper lower sub len reverse format byte char find match gmatch gsub",
        table="concat insert remove sort unpack",
        math="abs ceil floor max min sqrt sin cos tan exp log pi huge random fmod tointeger type",
        os="time date clock",
        utf8="char len codepoint",
        io="read",
    ),
    refused_marks=("[[", "[=", "~="),
    joins=frozenset((".", ":")),
    comments=("--",),
)  # fmt: skip

_ELIXIR = Language(
    words=_set("true false nil and or not"),
    calls=_set("abs div rem length max min round trunc floor ceil inspect to_string"),
    members=_members(
        IO="puts inspect",
        String="upcase downcase capitalize length trim reverse split replace contains starts_with duplicate",
        Enum="sum count join max min sort reverse uniq to_list at take drop",
        Integer="to_string pow gcd digits parse",
        Float="round ceil floor to_string parse",
        System="version otp_release",
        Mix="env",
    ),
    filled="\"'",
    opens="#{",
    properties=False,
    # `?"` is a character, `"""` and `~s(` open texts that end elsewhere
    refused_marks=("?", '"""', "'''", "~", "@", "&", "<<"),
)  # fmt: skip

LANGUAGES = {
    "elixir": _ELIXIR,
    "node": _JAVASCRIPT,
    "ruby": _RUBY,
    "php": _PHP,
    "perl": _PERL,
    "Rscript": _R,
    "lua": _LUA,
}

# Parts of the standard library that a word of the command or of the code may load.
LIBRARIES = {
    "ruby": _set("json yaml date time set csv pp securerandom bigdecimal"),
    "perl": _set("strict warnings utf8 List::Util POSIX Data::Dumper Scalar::Util JSON::PP Time::Local feature"),
    "Rscript": _set("stats utils jsonlite methods"),
}
