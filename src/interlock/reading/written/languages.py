"""The languages that are looked through and not read: what a file of each is called, and the words that act in it.

A row is data. The words are regular expressions over the text; docs/adr/0038 says what they are and are not.
"""

from __future__ import annotations

from .build_languages import BUILD_LANGUAGES
from .language import GRAVE_SERVICES, SHELL_WORDS, Language

__all__ = ["COMPILED", "LANGUAGES", "Language", "language_of"]


LANGUAGES: dict[str, Language] = {
    row.name: row
    for row in (
        Language(
            name="javascript",
            endings=tuple(".js .mjs .cjs .jsx .ts .mts .cts .tsx .vue .svelte .astro .coffee".split()),
            runs=r"\bchild_process\b|\b(?:exec|spawn|execFile)Sync\b|(?<![\w.])exec\s*\(|\bexeca\b|\bshelljs\b"
            r"|\bcross-spawn\b|\bDeno\.(?:run|Command|kill)\b|\bBun\.(?:spawn|\$)|\bzx\b['\"]|\bnode-pty\b"
            r"|\bprocess\.kill\s*\("
            # a command line among settings: `webServer: { command: … }`
            rf"|\bcommand\s*:\s*['\"`][^'\"`\n]*(?:{SHELL_WORDS}|\b(?:ba|z|da)?sh\s|\.sh\b)",
            computes=r"\beval\s*\(|\bnew\s+Function\b|(?<![\w.])Function\s*\(|\bvm\.(?:run|Script|compile)"
            r"|['\"](?:node:)?vm['\"]|\b(?:require|import)\s*\(\s*(?!['\"`][^'\"`$]*['\"`]\s*[,)]|\))"
            r"|\bprocess\.(?:binding|dlopen|_linkedBinding)\b|\bDeno\.dlopen\b|\bffi-napi\b|\bkoffi\b"
            r"|\bmodule\.constructor\b|\._load\s*\(|\bcreateRequire\b|\bReflect\.(?:get|apply|construct)\b"
            r"|\b(?:fs|fsp|process|os|cp|global|globalThis|Deno|Bun|require|module)\s*\["
            r"|\[[^\]\n]{0,60}['\"`][^\]\n]{0,60}\+[^\]\n]{0,60}\]\s*[(.]|\.constructor\s*\("
            r"|\.constructor\.constructor\b",
            removes=r"\b(?:rm|rmdir|unlink|remove|removeSync|rmSync|rmdirSync|unlinkSync|rimraf|rimrafSync"
            r"|emptyDir|emptyDirSync|trash)\s*\(",
            writes=r"\b(?:writeFile|appendFile|rename|symlink|link|copyFile|cp|chmod)(?:Sync)?\s*\("
            r"|\bcreateWriteStream\s*\(|\bwriteTextFile",
            net=r"\bfetch\s*\(|\baxios\b|\bhttps?\.(?:request|get)\b|\bnet\.(?:connect|createConnection|Socket)\b"
            r"|\bgot\b\s*[(.]|\bXMLHttpRequest\b|\bundici\b|\bWebSocket\s*\(|\bdgram\b|\bdns\.(?:resolve|lookup)"
            r"|\bsuperagent\b",
            dumps=r"(?:stringify|entries|values|keys|assign|from|inspect"
            r"|format)\s*\([^)\n]{0,200}\bprocess\.env\b(?!\s*[.\[])"
            r"|\.\.\.\s*process\.env\b|\bDeno\.env\.toObject\b",
            makes=r"\bmkdtemp|\btmpdir\s*\(|\btmp(?:-promise)?['\"]|\btempy\b|\bmakeTempDir|\btmpNameSync\b|\bmemfs\b"
            r"|\bmock-fs\b",
        ),
        Language(
            name="go",
            endings=tuple(".go".split()),
            runs=r"\"os/exec\"|\bexec\.Command|\bsyscall\.(?:Exec|ForkExec|StartProcess|Kill)\b|\bos\.StartProcess\b"
            r"|//go:generate",
            computes=r"\"plugin\"|\"unsafe\"|\bimport\s+\"C\"|\"C\"$|//go:linkname|\bMethodByName\s*\("
            r"|\bsyscall\.(?:Raw)?Syscall|\"github\.com/traefik/yaegi",
            removes=r"\bos\.Remove(?:All)?\s*\(|\b(?:syscall|unix)\.(?:Unlink|Rmdir)\s*\(|\bRemoveAll\s*\(",
            writes=r"\bos\.(?:WriteFile|Create|OpenFile|Rename|Symlink|Link|Chmod)\s*\(|\bioutil\.WriteFile\s*\(",
            net=r"\bhttp\.(?:Get|Post|PostForm|Head|DefaultClient|Client|NewRequest\w*)\b|\bnet\.(?:Dial|Lookup)\w*",
            dumps=r"\bos\.Environ\s*\(",
            makes=r"\bMkdirTemp\b|\bTempDir\b|\bCreateTemp\b|\bTempFile\b",
        ),
        Language(
            name="rust",
            endings=tuple(".rs".split()),
            runs=r"\bprocess::Command\b|\bCommand::new\b|\bstd::process::\{[^}]*Command"
            r"|\blibc::(?:system|exec\w*|fork|kill)\b|\bnix::unistd\b|\bduct::|\bxshell\b|\bcmd!\s*\(",
            computes=r"\blibloading\b|\bdlopen\b|\bextern\s+\"|\btransmute\b|\basm!\s*\(|\bfrom_raw_parts\b"
            r"|\binclude_bytes!\s*\(\s*\"/|\binclude(?:_str)?!\s*\(\s*\"(?:/|\.\./\.\./\.\.)",
            removes=r"\bremove_(?:dir_all|dir|file)\s*\(|\bremove_dir_contents\s*\(",
            writes=r"\bfs::(?:write|rename|copy|hard_link)\s*\(|\bFile::create\s*\(|\bOpenOptions\b|\bsymlink\s*\(",
            net=r"\breqwest\b|\bTcpStream::connect\b|\bureq\b|\bhyper::|\bUdpSocket\b|\bToSocketAddrs\b|\bcurl::",
            dumps=r"\benv::vars(?:_os)?\s*\(",
            makes=r"\btempfile\b|\btempdir\b|\btemp_dir\s*\(|\bTempDir\b|\bassert_fs\b",
        ),
        Language(
            name="ruby",
            endings=tuple(
                ".rb .rake .gemspec .ru /Rakefile /Gemfile /Podfile /Fastfile /Guardfile "
                "/Capfile /Vagrantfile /Dangerfile /Brewfile".split()
            ),
            comment="#",
            runs=r"(?<![\w.:@'\"])(?:system|spawn|exec|fork|syscall)\b\s*[('\"\[%]"
            r"|(?<![\w.:@'\"])(?:system|exec|spawn)\s+[a-z_@\"']|\bKernel\.(?:system|exec|spawn|fork)"
            r"|\bProcess\.(?:spawn|kill|exec)|\bOpen3\b|\bIO\.popen\b|\bPTY\b|%x[\[({|!]|(?<![\\\w])`[^`\n]+`"
            r"|\bopen\s*\(\s*['\"]\|",
            computes=r"(?<![\w.])eval\s*[( ]|\b(?:instance|class|module)_eval\s*[( ]\s*(?!do|\{)['\"a-z]"
            r"|\.(?:send|public_send|__send__)\s*\(?\s*(?!:)\w|\bconst_get\b|\bMarshal\.load\b|\bFiddle\b"
            r"|\bFFI\b|\bFunction\.new\b|\bmethod\s*\(\s*(?!:)|\bObjectSpace\b|\bTOPLEVEL_BINDING\b"
            r"|\bload\s*\(?\s*['\"](?:/|~|http)|\bRubyVM\b",
            removes=r"\bFileUtils\.(?:rm\w*|remove\w*)\b\s*\(?|\b(?:File|Dir)\.(?:delete|unlink|rmdir)\b\s*\(?"
            r"|\brm_rf?\b\s*\(?|\.rmtree\b",
            writes=r"\b(?:File|IO)\.(?:write|binwrite|open|rename|symlink|link|chmod)\b|\bFileUtils\.(?:cp|mv|ln)\w*",
            net=r"\bNet::HTTP\b|\bTCPSocket\b|\bFaraday\b|\bHTTParty\b|\bURI\.open\b|\bopen-uri\b|\bRestClient\b"
            r"|\bUDPSocket\b|\bResolv\b",
            dumps=r"\bENV\.(?:to_h|to_a|inspect|map|each|to_json|select)\b|\bENV\s*\)",
            makes=r"\bmktmpdir\b|\bTempfile\b|\btmpdir\b|Rails\.root\.join\(['\"]tmp",
        ),
        Language(
            name="php",
            endings=tuple(".php .phtml .phpt .inc.php".split()),
            runs=r"(?<![\w>:$])(?<!function )(?:exec|system|passthru|shell_exec|popen|proc_open|pcntl_\w+)\s*\("
            r"|(?<![\\\w'\"])`[^`\n]+`|\bSymfony\\\\?Component\\\\?Process\b"
            r"|\bProcess::(?:run|start|fromShellCommandline)\b|\bnew\s+Process\s*\(",
            computes=r"(?<![\w>:$])(?:eval|create_function|dl|unserialize)\s*\(|\bassert\s*\(\s*['\"]"
            r"|\bcall_user_func(?:_array)?\s*\(\s*\$\w+\s*[,)]"
            r"|\bFFI::|(?<![\w>])\$\w+\s*\(\s*['\"][^'\"\n]{0,200}(?:rm|curl|sh|/)|\$\$\w|\bnew\s+Reflection"
            r"|\bpreg_replace\s*\(\s*['\"][^'\"\n]{0,200}/\w*e\w*['\"]"
            r"|\b(?:include|require)(?:_once)?\s*\(?\s*['\"](?:https?:|php:|data:|/)",
            removes=r"(?<![\w>:$])(?<!function )(?:unlink|rmdir)\s*\("
            r"|\b(?:File|Storage)::(?:delete\w*|cleanDirectory)\s*\("
            r"|->(?:deleteDirectory|remove)\s*\(\s*['\"]/",
            writes=r"\b(?:file_put_contents|fwrite|rename|copy|symlink|link|chmod)\s*\(",
            net=r"\bcurl_(?:exec|init)\b|\bfsockopen\b|\bstream_socket_client\b|\bGuzzle|\bHttp::(?:get|post|put)\b"
            r"|https?://[^'\"\n]{0,200}['\"]\s*,\s*false",
            dumps=r"\bgetenv\s*\(\s*\)|\bjson_encode\s*\(\s*\$_(?:ENV|SERVER)\b|\bprint_r\s*\(\s*\$_ENV\b|\$_ENV\s*\)",
            makes=r"\bsys_get_temp_dir\b|\btempnam\b|\btmpfile\b|\bvfsStream\b",
        ),
        Language(
            name="elixir",
            endings=tuple(".ex .exs .erl .hrl .config.script .app.src.script .eex .heex .leex".split()),
            comment="#",
            runs=r"\bSystem\.(?:cmd|shell|find_executable|stop|halt)\b|:os\.cmd\b|\bos:cmd\b|\bPort\.open\b"
            r"|\bopen_port\b|\bMuonTrap\b|\bRambo\b",
            computes=r"\bCode\.(?:eval|compile|require|load)\w*|\b:?erlang\.load_nif\b|\berl_eval\b|\bapply\s*\("
            r"|\bKernel\.apply\b|\bbinary_to_term\b|\bString\.to_atom\b|:code\.load|\bcode:load",
            removes=r"\bFile\.(?:rm|rm_rf|rm_rf!|rm!|rmdir)\b!?\s*\(?|:?\bfile[.:](?:delete|del_dir\w*)\s*\(",
            writes=r"\bFile\.(?:write|cp|cp_r|rename|ln_s|open|chmod)\b!?",
            net=r":httpc\b|\bhttpc:|\bHTTPoison\b|\bReq\.\w+|\bFinch\b|\bTesla\b|\bMint\b|:gen_tcp\b|\bgen_tcp:"
            r"|:ssl\.connect\b",
            dumps=r"\bSystem\.get_env\s*\(\s*\)|\bos:getenv\s*\(\s*\)",
            makes=r"\btmp_dir\b|System\.tmp_dir",
        ),
        Language(
            name="jvm",
            endings=tuple(".java .kt .kts .groovy .gradle .scala .sc .sbt .clj .cljs .cljc".split()),
            runs=r"\bProcessBuilder\b|\bgetRuntime\s*\(|\bDefaultExecutor\b|\bProcessHandle\b|\bcommandLine\b"
            r"|[\"']\s*\.execute\s*\(|\]\s*\.execute\s*\(|\bexec\s*[{(]|\bExec\b|\bProcess\s*\(|\.!!"
            r"|\bsys\.process\b|\bclojure\.java\.shell\b|\(sh\s",
            computes=r"\bClass\.forName\b|\bgetDeclaredMethod|\bgetMethod\s*\(|\bsetAccessible\b|\bMethodHandles?\b"
            r"|\bClassLoader\b|\bScriptEngine|\bGroovyShell\b|\bEval\.me\b|\bevaluate\s*\("
            r"|\bSystem\.load(?:Library)?\b|\bnative\s+\w+\s+\w+\s*\(|\bsun\.misc\b|\bUnsafe\b"
            r"|\bcom\.sun\.jna\b|\bmetaClass\b|\bToolProvider\b|\bapply\s+from:\s*[\"']https?:|\\u00",
            removes=r"\bdeleteRecursively\s*\(|\bdeleteDirectory\s*\(|\bFiles\.delete(?:IfExists)?\s*\("
            r"|\bforceDelete\s*\(|\bdeleteDir\s*\(|\bio/delete-file\b|\bFile\s*\([^)\n]{0,80}\)\s*\.delete\b",
            writes=r"\bFiles\.(?:write\w*|copy|move|create\w*Link|newBufferedWriter)\s*\(|\bFileWriter\s*\("
            r"|\bFileOutputStream\s*\(|\bwriteText\s*\(|\bspit\b",
            net=r"\bHttpClient\b|\bURL\s*\(|\bopenConnection\b|\bSocket\s*\(|\bOkHttpClient\b|\bRestTemplate\b"
            r"|\bURI\.create\b",
            dumps=r"\bSystem\.getenv\s*\(\s*\)|\bsys\.env\b(?!\s*[.(]\s*(?:get|\"))|\bgetProperties\s*\(\s*\)",
            makes=r"\bTempDir\b|\bcreateTemp(?:Directory|File|Dir)\b|\bTemporaryFolder\b|\bjimfs\b",
        ),
        Language(
            name="maven",
            endings=tuple("/pom.xml /build.xml .pom".split()),
            comment="",
            runs=r"exec-maven-plugin|maven-antrun-plugin|groovy-maven-plugin|gmavenplus|frontend-maven-plugin"
            r"|<executable>|<exec\b|<java\b|<script\b|download-maven-plugin"
            r"|<argLine>[^<]{0,200}-(?:javaagent|agentpath|XX:On)",
            computes=r"<systemPath>|<extension>\s*<groupId>|<jvm>",
            removes=r"<delete\b",
        ),
        Language(
            name="dotnet",
            endings=tuple(".cs .fs .vb .fsx .csx".split()),
            runs=r"\bProcess\.Start\b|\bProcessStartInfo\b|\bnew\s+Process\b|\bCliWrap\b",
            computes=r"\bDllImport\b|\bLibraryImport\b|\bAssembly\.Load|\bActivator\.CreateInstance\b"
            r"|\bType\.GetType\s*\(\s*(?!\")|\bGetMethod\s*\(|\bCSharpScript\b|\bMarshal\.|\bunsafe\b"
            r"|\bBinaryFormatter\b|\bReflection\.Emit\b|\bNativeLibrary\b",
            removes=r"\b(?:Directory|File)\.Delete\s*\(|\.Delete\s*\(\s*(?:recursive:\s*)?true\s*\)",
            writes=r"\bFile\.(?:Write\w*|Append\w*|Move|Copy|Create\w*)\s*\(|\bStreamWriter\s*\(",
            net=r"\bHttpClient\b|\bWebClient\b|\bTcpClient\b|\bSocket\s*\(|\bHttpWebRequest\b",
            dumps=r"\bGetEnvironmentVariables\s*\(",
            makes=r"\bGetTempPath\b|\bGetTempFileName\b|\bCreateTempSubdirectory\b|\bGetRandomFileName\b",
        ),
        Language(
            name="msbuild",
            endings=tuple(".csproj .fsproj .vbproj .proj .targets .props .sln".split()),
            comment="",
            runs=r"<Exec\b|<PreBuildEvent>|<PostBuildEvent>|<UsingTask\b|<DownloadFile\b|\bRoslynCodeTaskFactory\b"
            r"|<Import\s+Project=\"(?:/|\.\./\.\./\.\.|https?:)",
            removes=r"<RemoveDir\b|<Delete\b",
        ),
        Language(
            name="swift",
            endings=tuple(".swift .m .mm".split()),
            runs=r"\bProcess\s*\(|\bNSTask\b|\bposix_spawn\b|\bpopen\s*\(|(?<![\w.])system\s*\(|\blaunchPath\b"
            r"|\bexecutableURL\b",
            computes=r"\bdlopen\b|\bdlsym\b|\bNSSelectorFromString\b|\bNSClassFromString\b|\bperformSelector\b"
            r"|\bunsafeBitCast\b|\bNSAppleScript\b|\bevaluateScript\b",
            removes=r"\bremoveItem\w*\s*\(|(?<![\w.])unlink\s*\(",
            writes=r"\.write\s*\(\s*to|\bcreateFile\s*\(|\bcreateSymbolicLink\s*\(|\bmoveItem\s*\(",
            net=r"\bURLSession\b|\bNWConnection\b|\bCFSocket\b|\bData\s*\(\s*contentsOf:\s*URL",
            dumps=r"\bProcessInfo\.processInfo\.environment\b(?!\s*\[)",
            makes=r"\btemporaryDirectory\b|\bNSTemporaryDirectory\b",
        ),
        Language(
            name="dart",
            endings=tuple(".dart".split()),
            runs=r"\bProcess\.(?:run|runSync|start|killPid)\b|\bprocess_run\b",
            computes=r"dart:ffi|dart:mirrors|\bIsolate\.spawnUri\b|\bDynamicLibrary\b",
            removes=r"\.delete(?:Sync)?\s*\(\s*recursive",
            writes=r"\bwriteAs\w+\s*\(|\.rename(?:Sync)?\s*\(",
            net=r"\bHttpClient\b|\bhttp\.(?:get|post|put|read)\b|\bSocket\.connect\b|\bDio\s*\(",
            dumps=r"\bPlatform\.environment\b(?!\s*\[)",
            makes=r"\bsystemTemp\b|\bcreateTemp",
        ),
        Language(
            name="zig",
            endings=tuple(".zig .zon".split()),
            runs=r"\bChildProcess\b|\bprocess\.Child\b|\baddSystemCommand\b|\bexecv|\bstd\.os\.linux\b"
            r"|\bposix\.(?:exec|fork|kill)",
            computes=r"@ptrFromInt|@intToPtr|\bDynLib\b|@cImport|\basm\s+volatile",
            removes=r"\bdelete(?:Tree|File|Dir)\w*\s*\(",
            writes=r"\b(?:createFile|writeFile|rename|symLink)\w*\s*\(",
            net=r"\bstd\.http\b|\btcpConnect\w*|\bstd\.net\b",
            dumps=r"\bgetEnvMap\s*\(",
            makes=r"\btmpDir\b",
        ),
        Language(
            name="c",
            endings=tuple(".c .cc .cpp .cxx .c++ .h .hh .hpp .hxx .inc .inl .cu .ixx .ipp".split()),
            runs=r"(?<![\w.>])(?:system|popen|execl|execlp|execle|execv|execvp|execve|fexecve|fork|vfork"
            r"|posix_spawnp?|kill)\s*\("
            r"|\bQProcess\b|\bboost::process\b|\bShellExecute|\bCreateProcess|\bstd::system\b",
            computes=r"\bdlopen\s*\(|\bdlsym\s*\(|\b__?asm(?:__)?\b|(?<!\w)syscall\s*\(|/proc/self|\bmprotect\s*\("
            r"|\bPROT_EXEC\b|\bLoadLibrary|#\s*include\s*[\"<](?:/|\.\./\.\./\.\.)"
            r"|#\s*define\s+\w+\s+(?:system|popen|exec\w*|unlink|remove)\b|\?\?[=/'()!<>-]",
            removes=r"(?<![\w.>:])(?:unlink|unlinkat|rmdir|remove|nftw)\s*\(|\bremove_all\s*\("
            r"|\bfilesystem::remove\s*\(|\bremoveRecursively\s*\(",
            writes=r"(?<!\w)(?:fopen|open|creat|rename|symlink|link|ofstream)\s*\(|\bofstream\b",
            net=r"(?<![\w.>])(?:connect|sendto|getaddrinfo|gethostbyname)\s*\(|\bcurl_easy\w*|\basio::",
            dumps=r"\benviron\b|\benvp\b",
            makes=r"\bmkdtemp\b|\bmkstemp\b|\btmpfile\b|\btmpnam\b|\btemp_directory_path\b",
        ),
        Language(
            name="cmake",
            endings=tuple("/CMakeLists.txt .cmake /CMakePresets.json /CMakeUserPresets.json".split()),
            comment="#",
            runs=r"\bexecute_process\b|\bexec_program\b|\btry_run\b|"
            + SHELL_WORDS
            + r"|\bCOMMAND\s+(?:ba|z)?sh\b|\bCOMMAND\s+(?:python|perl|ruby|node)\S*\s+-[ce]",
            computes=r"\bcmake_language\s*\(\s*EVAL|\b(?:CXX|C)_COMPILER_LAUNCHER\b|\bRULE_LAUNCH_"
            r"|\binclude\s*\(\s*(?:/|\")|\bload_command\b",
            removes=r"\bfile\s*\(\s*REMOVE(?:_RECURSE)?\b|-E\s+(?:rm|remove|remove_directory)\b",
            writes=r"\bfile\s*\(\s*(?:WRITE|APPEND|RENAME|COPY|CREATE_LINK)\b",
            net=r"\bfile\s*\(\s*(?:DOWNLOAD|UPLOAD)\b",
            makes=r"CMAKE_(?:CURRENT_)?BINARY_DIR",
        ),
        Language(
            name="haskell",
            endings=tuple(".hs .lhs .cabal".split()),
            comment="--",
            runs=r"\bSystem\.Process\b|\bSystem\.Cmd\b|\bcallCommand\b|\breadProcess\b|\bTurtle\b|\bexecuteFile\b"
            r"|\bbuild-type:\s*Custom",
            computes=r"\bunsafe\w+\b|\bforeign\s+import\b|\bTemplateHaskell\b|\brunIO\b",
            removes=r"\bremove(?:DirectoryRecursive|PathForcibly|File|Directory)\b",
            writes=r"\b(?:writeFile|appendFile|renameFile)\b",
            net=r"\bNetwork\.|\bhttpLbs\b",
            dumps=r"\bgetEnvironment\b",
            makes=r"\bwithSystemTemp|\bwithTempDirectory\b",
        ),
        Language(
            name="lua",
            endings=tuple(".lua .rockspec".split()),
            comment="--",
            runs=r"\bos\.(?:execute|execv?|v?runv?|iorunv?|exec)\b|\bio\.popen\b|\bvim\.fn\.system|\bvim\.system\b",
            computes=r"\bload(?:string|file)?\s*\(|\bdofile\s*\(|\bpackage\.loadlib\b|\bffi\b|\bdebug\.\w+|_G\s*\["
            r"|\bstring\.dump\b",
            removes=r"\bos\.(?:remove|rm|rmdir|tryrm)\s*\(|\blfs\.rmdir\s*\(",
            writes=r"\bio\.open\s*\(|\bos\.rename\s*\(",
            net=r"\bsocket\b|\bhttp\.request\b",
            makes=r"\bos\.tmpname\b",
        ),
        Language(
            name="perl",
            endings=tuple(".pl .pm .t .PL".split()),
            comment="#",
            runs=r"(?<![\w>:$@%&])(?:system|exec|fork|syscall|kill)\b|`[^`\n]+`|\bqx\b|\bIPC::"
            r"|\bopen\b[^;\n]{0,120}['\"]\s*(?:-\||\|)|\|\s*['\"]\s*[,)]",
            computes=r"\beval\s*['\"$(]|\brequire\s+\$|\bdo\s+['\"$]|\bDynaLoader\b|\bInline\b|&\{?\s*\$|->\$\w+\("
            r"|\bno\s+strict\b|\bFFI::",
            removes=r"(?<![\w>$@%])(?:unlink|rmdir|rmtree|remove_tree)\b",
            writes=r"\bopen\b[^;\n]{0,120}>|(?<![\w>$])(?:rename|symlink|link|chmod)\b",
            net=r"\bIO::Socket\b|\bLWP\b|\bHTTP::Tiny\b|\bNet::",
            dumps=r"%ENV\b",
            makes=r"\bFile::Temp\b|\btempdir\b|\btempfile\b",
        ),
        Language(
            name="r",
            endings=tuple(".R .r .Rmd .rmd .qmd /DESCRIPTION /NAMESPACE".split()),
            comment="#",
            runs=r"(?<![\w.])(?:system2?|shell|shell\.exec|pipe)\s*\(|\bprocessx::|\bsys::exec",
            computes=r"(?<![\w.])(?:eval|parse|source|dyn\.load|do\.call|get"
            r"|match\.fun)\s*\(\s*(?!['\"][\w./-]+['\"])"
            r"|\.(?:C|Call|External)\s*\(",
            removes=r"\bunlink\s*\(|\bfile\.remove\s*\(|\bdir_delete\s*\(|\bfile_delete\s*\(",
            writes=r"\b(?:writeLines|write\.\w+|file\.(?:copy|rename|create|symlink)|saveRDS)\s*\(",
            net=r"\bhttr2?::|\bdownload\.file\s*\(|\bcurl::|\bsocketConnection\s*\(|\burl\s*\(",
            dumps=r"\bSys\.getenv\s*\(\s*\)",
            makes=r"\btempdir\s*\(|\btempfile\s*\(|\bwithr::",
        ),
        Language(
            name="julia",
            endings=tuple(".jl".split()),
            comment="#",
            runs=r"\brun\s*\(|\bpipeline\s*\(|\bread\s*\(\s*`|`[^`\n]+`",
            computes=r"\bccall\b|@ccall|\beval\s*\(|@eval|\bMeta\.parse\b|\binclude_string\b|\bunsafe_\w+|\bLibdl\b"
            r"|\bdlopen\b",
            removes=r"\brm\s*\(",
            writes=r"\bwrite\s*\(|\bopen\s*\([^)\n]{0,120}['\"][wa]|\bmv\s*\(|\bsymlink\s*\(",
            net=r"\bHTTP\.|\bDownloads\b|\bdownload\s*\(|\bconnect\s*\(",
            makes=r"\bmktempdir\b|\bmktemp\b|\btempdir\b",
        ),
        Language(
            name="ocaml",
            endings=tuple(".ml .mli /dune /dune-project".split()),
            comment="",
            runs=r"\bSys\.command\b|\bUnix\.(?:system|exec\w*|fork|open_process\w*|create_process\w*|kill)\b"
            r"|\(\s*(?:run|system|bash)\s",
            computes=r"\bObj\.magic\b|\bDynlink\b|\bexternal\s+\w+\s*:|\bToploop\b",
            removes=r"\bSys\.remove\b|\bUnix\.(?:unlink|rmdir)\b",
            writes=r"\bopen_out\b|\bSys\.rename\b",
            net=r"\bUnix\.connect\b|\bCohttp\b",
            dumps=r"\bUnix\.environment\b",
            makes=r"\btemp_file\b|\btemp_dir\b",
        ),
        Language(
            name="terraform",
            endings=tuple(".tf .tofu .tf.json .hcl".split()),
            comment="#",
            runs=r"\bbackend\s+\"(?!local\")|\bdata\s+\"external\"|\"external\"|\blocal-exec\b|\bremote-exec\b|\bprovisioner\b|\bbefore_hook\b"
            r"|\bafter_hook\b|\brun_cmd\s*\(",
            computes=r"\bsource\s*=\s*\"(?:git::|https?:|s3::|gcs::|hg::|github\.com|bitbucket\.org|git@|/|~)",
            net=r"\bdata\s+\"http\"",
            dumps=r"\bfile\w*\s*\(\s*\"(?:~|/|\.\./\.\./\.\.)|\bpathexpand\s*\(",
        ),
        Language(
            name="dockerfile",
            endings=tuple("/Dockerfile /Containerfile .Dockerfile .dockerfile .Containerfile".split()),
            comment="#",
            runs=r"\b(?:curl|wget)\b[^\n]{0,300}(?:\s-d\b|\s-F\b|\s-T\b|--data|--form|--upload|--post)"
            r"|\|\s*(?:ba|z|da)?sh\b|\bnc\s|\bncat\s|/dev/tcp/|\bbase64\s+(?:-d|--decode)|--security=insecure"
            r"|--network=host|\bADD\s+https?://",
            computes=r"#\s*syntax\s*=\s*(?!docker/dockerfile)|\bFROM\s+[^\s]*\.(?:example|onion|top|xyz)\b",
            net=r"\b(?:curl|wget|scp|ssh|git\s+(?:clone|push))\b",
            dumps=r"--mount=type=(?:secret|ssh)"
            r"|\bCOPY\s+[^\n]{0,200}(?:\.env\b|\.npmrc|\.netrc|id_rsa|credentials|\.pem|\.key\b)"
            r"|\benv\b\s*(?:\||>)|\bprintenv\b",
        ),
        Language(
            name="compose",
            told="gives a container more than the project",
            endings=tuple(".compose.yml .compose.yaml".split()),
            comment="#",
            runs=rf"{GRAVE_SERVICES}"
            r"|\b(?:cap_add|devices|device_cgroup_rules|security_opt|sysctls|volumes_from|provider|cgroup_parent)['\"]?\s*:"
            r"|^\s*-\s*['\"]?(?:/(?!tmp/)|~|\.\./|\$[^\n]*:/)[^\n]*:"
            r"|[\[,]\s*['\"]?(?:/(?!tmp/)|~|\.\./|\$[^\],\n]*:/)[^\],\n]*:"
            r"|(?<![\w/.-])(?:source|src|device)(?:['\"]\s*:\s*|\s*:\s+)['\"]?(?:/(?!tmp/)|~|\.\.|[*$])|" + SHELL_WORDS,
            computes=r"\\[xuU][0-9a-fA-F]|(?:^|\s)!!?\w|^\s*\?\s|\binclude['\"]?\s*:"
            r"|\bfile['\"]?\s*:\s*['\"]?(?:/|~|\.\.|https?:|oci:|git)",
        ),
        Language(
            name="notebook",
            endings=tuple(".ipynb".split()),
            comment="",
            runs=r"\bget_ipython\s*\(\s*\)\s*\.\s*(?:system|getoutput|run_\w+|ex)\b"
            r"|\bos\.(?:system|popen|exec\w*|spawn\w*|fork|kill)\b|\bsubprocess\b|\bpty\.spawn\b"
            r"|%%(?:bash|sh|script|perl|ruby|javascript|js)\b|(?:^|[\"'\[,=])\s*!\s*[^\n]{0,200}?(?:"
            + SHELL_WORDS
            + r")|%sx\b|%run\s+[/~]",
            computes=r"(?<![\w.])(?:eval|exec|__import__|compile)\s*\(|\bctypes\b|\bmarshal\.loads\b"
            r"|\bpickle\.loads?\b|\bimportlib\.import_module\s*\(\s*(?!['\"])"
            r"|\bgetattr\s*\([^,\n]{1,80},\s*(?!['\"])",
            removes=r"\bshutil\.rmtree\s*\(|\bos\.(?:remove|unlink|rmdir|removedirs)\s*\(|\.unlink\s*\(",
            writes=r"\bopen\s*\([^)\n]{0,120}['\"][wa]|\.write_text\s*\(|\bos\.(?:rename|symlink|link)\s*\("
            r"|\bshutil\.(?:copy|move)\w*\s*\(",
            net=r"\brequests\.\w+|\burlopen\b|\bhttpx\b|\bsocket\.|\baiohttp\b|\bhttp\.client\b",
            dumps=r"(?:dict|str|repr|dumps|list|items)\s*\(\s*\*{0,2}os\.environ\b(?!\s*[.\[])"
            r"|\bos\.environ\.(?:copy|items)\b|\bjson\.dumps\s*\([^)\n]{0,120}environ",
            makes=r"\btempfile\b|\bmkdtemp\b",
        ),
        *BUILD_LANGUAGES,
    )
}

# What is written in these languages is built first: a program that was made of it runs without a name of theirs.
COMPILED = ("c", "go", "rust", "zig", "swift", "haskell", "ocaml", "dotnet")

_BY_ENDING: dict[str, str] = {ending: row.name for row in LANGUAGES.values() for ending in row.endings}


def language_of(path: str) -> str:
    """The name of the language that a file is written in, by its name; empty if it is none of these."""
    name = path[path.rfind("/") :]
    found = _BY_ENDING.get(name)
    if found is not None:
        return found
    start = name[1:].partition(".")[0]
    if start in ("Dockerfile", "Containerfile"):
        return "dockerfile"
    if start in ("compose", "docker-compose", "podman-compose") and name.endswith((".yml", ".yaml")):
        return "compose"
    at = name.find(".", 2)
    while at > 0:
        found = _BY_ENDING.get(name[at:])
        if found is not None:
            return found
        at = name.find(".", at + 1)
    return ""
