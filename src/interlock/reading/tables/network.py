"""Programs that fetch, ask and look at the network. Other machines' shells and files are in remote.py."""

from __future__ import annotations

from .kinds import apart, each
from .spec import Adds, P, effects

__all__ = ["PROGRAMS"]

_SPAWNS = Adds(effects=effects("spawn"), tags=("external",))
_CHANGES = Adds(effects=effects("write"), tags=("privileged",))

# What becomes of each value is said in specials/net.py.
_CURL = (
    "-d|--data|--data-ascii|--data-binary|--json:body --data-urlencode:encoded --data-raw|--form-string:sent "
    "-F|--form:form -T|--upload-file:upload -X|--request:method --url:address -o|--output:save --output-dir:folder "
    "-O|--remote-name|--remote-name-all!remote-name -J|--remote-header-name -I|--head!head -G|--get!get "
    "-c|--cookie-jar|-D|--dump-header|--stderr|--libcurl|--etag-save:write --trace|--trace-ascii:write "
    "--hsts|--alt-svc:edit -b|--cookie:cookie -H|--header|--proxy-header:header "
    "-A|--user-agent|-e|--referer|-u|--user|--oauth2-bearer|-U|--proxy-user:carried --url-query:query "
    "-K|--config:config "
    "-x|--proxy|--preproxy|--socks4|--socks4a|--socks5|--socks5-hostname|--proxy1.0:detour "
    "--resolve|--connect-to|--dns-servers|--doh-url|--haproxy-clientip:detour "
    "--unix-socket|--abstract-unix-socket:socket --engine:text "
    "-Q|--quote|--prequote|--postquote|--mail-from|--mail-rcpt|--mail-auth|-t|--telnet-option:sent "
    "--variable|--expand-data|--expand-url|--expand-header:variable --expand-output:variable -w|--write-out:printed "
    "-E|--cert|--key|--cacert|--capath:read "
    "--crlfile|--proxy-cert|--proxy-key|--proxy-cacert|--netrc-file|--etag-compare:read "
    "--pubkey|--egd-file|--random-file:read -m|--max-time|--connect-timeout|--retry|--retry-delay:number "
    "--retry-max-time|-y|-Y|--speed-time|--speed-limit:number -C|--continue-at|-r|--range|--limit-rate:text "
    "--max-filesize|--max-redirs|--parallel-max|--rate|--keepalive-time:text "
    "-z|--time-cond|--interface|--local-port|--ciphers:text "
    "--tls13-ciphers|--tls-max|--tlsuser|--tlspassword|--curves:text --pass|--cert-type|--key-type|--hostpubmd5:text "
    "--hostpubsha256|--pinnedpubkey|--proto|--proto-default|--proto-redir:text "
    "--noproxy|--delegation|--krb|--login-options:text "
    "--request-target|--sasl-authzid|--service-name|--socks5-gssapi-service:text "
    "--expect100-timeout|--happy-eyeballs-timeout-ms|--dns-interface:text "
    "--dns-ipv4-addr|--dns-ipv6-addr|--create-file-mode:text "
    "-P|--ftp-port|--ftp-account|--ftp-alternative-to-user:text "
    "--ftp-method|--ftp-ssl-ccc-mode|--tftp-blksize|--aws-sigv4:text -h?:text "
    "--ip-tos|--vlan-priority|--ipfs-gateway|--trace-config|--proxy-header-file|--proxy-pass:text -s|--silent "
    "-S|--show-error -f|--fail -L|--location -k|--insecure -v|--verbose -i|--include -g|--globoff -4 -6 -# "
    "-N|--no-buffer -a|--append -B|--use-ascii -j -l|--list-only -M -n|--netrc -p|--proxytunnel -q|--disable -R "
    "-V|--version -Z|--parallel -0 -1 -2 -3 -\\:|--next --compressed --http1.1 --http2 --http3 --create-dirs "
    "--fail-with-body --help --location-trusted --path-as-is --post301 --post302 --raw --retry-all-errors "
    "--retry-connrefused --ssl --tcp-nodelay --tlsv1 --tlsv1.2 --tlsv1.3 --tr-encoding --no-progress-meter "
    "--netrc-optional --negotiate --ntlm --digest --basic --anyauth"
)
_WGET = (
    "-O|--output-document:save -P|--directory-prefix:folder -o|--output-file|-a|--append-output:write "
    "-i|--input-file:list --post-data|--body-data:sent --post-file|--body-file:upload --method:method "
    "--header:header -U|--user-agent|--referer|--user:carried "
    "--password|--http-user|--http-password|--ftp-user|--ftp-password:carried --proxy-user|--proxy-password:carried "
    "-e|--execute:wgetrc --use-askpass:program --config:config -B|--base:address --load-cookies:send "
    "--save-cookies|--warc-file|--rejected-log|--warc-cdx|--warc-tempdir:write --hsts-file:edit "
    "--ca-certificate|--ca-directory|--certificate:read --private-key|--crl-file|--egd-file|--warc-dedup:read "
    "-t|--tries|-T|--timeout|--dns-timeout|--connect-timeout:number "
    "--read-timeout|-w|--wait|--waitretry|-Q|--quota:number -l|--level|--max-redirect|--cut-dirs:text "
    "--limit-rate|--retry-on-http-error|--bind-address|--dns-servers:text "
    "-A|--accept|-R|--reject|--accept-regex|--reject-regex:text "
    "--regex-type|-D|--domains|--exclude-domains|-I|-X:text "
    "--include-directories|--exclude-directories|--follow-tags:text "
    "--ignore-tags|--default-page|--local-encoding:text "
    "--remote-encoding|--secure-protocol|--ciphers|--progress:text "
    "--report-speed|--start-pos|--prefer-family|--compression:text "
    "--restrict-file-names|--certificate-type|--private-key-type:text "
    "--pinnedpubkey|--warc-header|--warc-max-size:text -b|--background!background "
    "-r|--recursive|-m|--mirror|-p|--page-requisites|-x|--force-directories!recursive --spider!spider "
    "-nv|--no-verbose -nc|--no-clobber -nd|--no-directories -nH|--no-host-directories -np|--no-parent -4 -6 "
    "-c|--continue -q|--quiet -v|--verbose -d|--debug -F|--force-html -S|--server-response -N|--timestamping "
    "-k|--convert-links -K -E -H -L -h|--help -V|--version --no-check-certificate --content-disposition "
    "--trust-server-names --show-progress --https-only --random-wait --ignore-length --no-cookies "
    "--keep-session-cookies --delete-after --no-proxy --no-cache --retry-connrefused"
)
_HTTPIE = (
    "-o|--output:save --raw:body -a|--auth:carried -A|--auth-type:text --session|--session-read-only:session "
    "--proxy:detour --cert|--cert-key|--verify:text "
    "-p|--print|-s|--style|--pretty|--format-options|--timeout|--max-redirects|--ssl:text "
    "--ciphers|--boundary|--default-scheme|--response-charset:text "
    "--response-mime|--unsorted|--cert-key-pass|--resolve:text -d|--download!download -f|--form -j|--json "
    "-v|--verbose -h|--headers -b|--body -m -x|--compress -F|--follow -c -q|--quiet --ignore-stdin -I --offline "
    "--check-status --stream -S --multipart --curl --https --all --meta --help --version --debug"
)
_SSL = (
    "-in|-cert|-certfile|-CA:read -CAfile|-CApath|-chain|-untrusted|-signer|-recip:read "
    "-inkey|-key|-keyfile|-CAkey|-signkey:taken "
    "-content|-data|-queryfile|-sign|-verify_file|-signature:read "
    "-prverify|-kfile|-extfile|-oid_file|-certs|-crl|-issuer:read -config:read "
    "-rand|-reqin|-respin|-msg|-ss_cert|-spkac|-infiles|-peerkey|-paramfile|-mtfile:read "
    "-out|-keyout|-CAserial|-writerand|-outform_file|-pubout_file:write "
    "-reqout|-respout|-sess_out|-keylogfile|-msgfile|-outdir:write "
    "-engine|-keyform_engine|-provider|-provider-path|-loader|-ssl_client_engine|-sign_engine:text "
    "-connect|-host|-proxy|-url:host "
    "-servername|-port|-accept|-starttls|-alpn|-cipher|-ciphersuites|-verify_hostname:text "
    "-pass|-passin|-passout|-password|-salt|-iv|-S|-K:text "
    "-k|-md|-iter|-bufsize|-saltlen|-inform|-outform|-keyform|-certform:text "
    "-days|-subj|-newkey|-addext|-extensions|-reqexts|-section:text "
    "-set_serial|-name|-caname|-nameopt|-certopt|-reqopt|-CAform:text "
    "-algorithm|-pkeyopt|-sigopt|-macopt|-hmac|-mac:text "
    "-curves|-param_enc|-conv_form|-not_before|-not_after|-checkhost:text "
    "-checkend|-checkip|-checkemail|-attime|-purpose|-policy:text "
    "-verify_depth|-bits|-seconds|-bytes|-multi|-evp|-primes:text "
    "-groups|-sigalgs|-psk|-sess_in|-max_protocol|-min_protocol:text "
    "-tlsextdebug_file|-www_file|-from|-to|-subject|-kdfopt:text -keyopt|-sctp_label|-digest|-v2|-v1|-CSP|-LMK:text "
    "-maciter_n|-certpbe|-keypbe|-ext|-dhparam_bits|-reply_to|-curve:text -noout -text -nodes -noenc -new -x509 "
    "-pubout -pubin -pubkey -modulus -dates -enddate -startdate -fingerprint -serial -subject_hash -hash "
    "-issuer_hash -showcerts -quiet -binary -hex -base64 -a -A -d -e -p -pbkdf2 -nosalt -export -nokeys -clcerts "
    "-nocerts -verify -check -sha1 -sha256 -sha384 -sha512 -md5 -aes256 -aes128 -aes-256-cbc -des3 -apr1 -1 -5 -6 "
    "-stdin -table -brief -tls1_2 -tls1_3 -no_ign_eof -ign_eof -prexit -status -query -reply -partial_chain "
    "-generate -prime -elapsed -mr"
)
_LOADED = "a module is loaded into openssl"
_ENGINE = {"-engine": Adds(opaque=_LOADED)}
_NMAP = (
    "-oN|-oX|-oG|-oS|-oA:write -iL:send -iR:number --excludefile:read --resume:read --script-args-file:read "
    "--script:text --script-args|--script-help:text --datadir|--servicedb|--versiondb:text "
    "-p|-e|-D|-S|-g|--source-port|--exclude:text --top-ports|--min-rate|--max-rate|--max-retries:text "
    "--host-timeout|--scan-delay|--max-scan-delay|--data-length|--ttl:text "
    "--dns-servers|--proxies|--spoof-mac|--mtu:text "
    "--version-intensity|--stylesheet|--data|--data-string|--min-parallelism:text "
    "--max-parallelism|--min-hostgroup|--max-hostgroup:text "
    "--min-rtt-timeout|--max-rtt-timeout|--initial-rtt-timeout:text --interactive -T?:text -v?:text -d?:text "
    "-P?:text -s?:text -A -O -F -n -R -r -f -6 -V -h --open --reason --traceroute --packet-trace --iflist "
    "--append-output"
)
_TCPDUMP = (
    "-w:write -r:read -F:read -V:read -z:command -i|--interface:text -c:number -C:number -G:number -W:number "
    "-s:number -B:number -E:text -j:text -m:text -M:text -T:text -y:text -Z|--relinquish-privileges:text -Q:text "
    "--time-stamp-precision:text -A -b -d -D|--list-interfaces -e -f -h -H -I -J -K -l -L -n -N -O -p -q -S -t -u -U "
    "-v -x -X -# -k"
)
_TSHARK = (
    "-r:read -w:write -X:text -i|--interface:text -c:number -a:text -b:text -B:number -d:text -D -e:text -E:text "
    "-f:text -F:text -G?:text -H:read -j:text -J:text -K:read -L -l -M:number -n -N:text -o:text -O:text -p -P -q -Q "
    "-R:text -s:number -S:text -t:text -T:text -u:text -U:text -v -V -W:text -x -y:text -Y:text -z:text -C:text "
    "--export-objects:text --color -2 -1 -g"
)
_ARIA = (
    "-o|--out:save -d|--dir:folder -i|--input-file:list "
    "-l|--log|--save-session|--save-cookies|--server-stat-of:write --on-download-start|--on-download-pause:command "
    "--on-download-stop|--on-download-complete|--on-download-error:command --on-bt-download-complete:command "
    "--conf-path:config --load-cookies|--netrc-path|--certificate|--private-key:read "
    "-T|--torrent-file|-M|--metalink-file|--ca-certificate|--dht-file-path|--server-stat-if:read --header:header "
    "--all-proxy|--http-proxy|--https-proxy|--ftp-proxy|--async-dns-server:detour -U|--user-agent|--referer:carried "
    "--http-user|--http-passwd|--ftp-user|--ftp-passwd:carried "
    "-x|-s|-j|-k|-t|-m|-Z|-c|--split|--max-connection-per-server:text "
    "--max-concurrent-downloads|--max-download-limit|--max-overall-download-limit:text "
    "--max-upload-limit|--checksum|--gid:text --min-split-size|--max-tries|--timeout|--connect-timeout:text "
    "--retry-wait|--seed-time|--seed-ratio|--listen-port:text --file-allocation|--select-file|--index-out:text "
    "--log-level|--console-log-level|--summary-interval|--rpc-secret:text "
    "--rpc-listen-port|--bt-tracker|--stop|--force-sequential?:text --enable-rpc?:text -D|--daemon?:text "
    "--allow-overwrite?:text --continue?:text --check-certificate?:text -q -V -h -S|--show-files --dry-run"
)
_YTDLP = (
    "-o|--output:save -P|--paths:folder -a|--batch-file:list --exec|--exec-before-download|--netrc-cmd:command "
    "--config-locations|--config-location:config --cookies|--download-archive:edit "
    "--load-info-json|--client-certificate:read --print-to-file|--write-pages|--cache-dir:write "
    "--proxy|--geo-verification-proxy:detour --add-header|--add-headers:header "
    "--user-agent|--referer|-u|--username|-p|--password|-2|--twofactor|--video-password:carried "
    "--cookies-from-browser:text "
    "--downloader|--external-downloader|--ffmpeg-location|--plugin-dirs|--use-postprocessor|--ap-mso:text "
    "--downloader-args|--external-downloader-args|--postprocessor-args|--ppa:text "
    "-f|--format|-S|--format-sort|-I:text "
    "--playlist-items|--playlist-start|--playlist-end|--match-filters|--match-filter:text "
    "--audio-format|--audio-quality|--remux-video|--recode-video:text "
    "--merge-output-format|--sub-format|--sub-langs|--sub-lang:text -r|--limit-rate|-R|--retries:text "
    "--fragment-retries|-N|--concurrent-fragments|--socket-timeout|--source-address:text "
    "--date|--datebefore|--dateafter|--max-downloads:text "
    "--max-filesize|--min-filesize|--sleep-interval|--max-sleep-interval:text -O|--print|--progress-template:text "
    "--convert-thumbnails|--convert-subs|--sponsorblock-remove|--sponsorblock-mark:text "
    "--extractor-args|--download-sections|--split-chapters-template:text "
    "--parse-metadata|--replace-in-metadata|--encoding:text "
    "--throttled-rate|--buffer-size|--http-chunk-size|--default-search:text "
    "--age-limit|--impersonate|--trim-filenames|-t:text -x|--extract-audio -F|--list-formats -k -q -s|--simulate "
    "-j|--dump-json -J -i -c -w -n -v -g|--get-url -e|--get-title --get-id --get-duration --get-filename "
    "--get-description --skip-download --list-subs --list-thumbnails --flat-playlist --write-subs --write-auto-subs "
    "--embed-subs --embed-thumbnail --embed-metadata --no-playlist --yes-playlist -U|--update --version"
)
_FETCHES = "an external program or a setting that runs one"

_ROWS = (
    P("curl", special="curl", options=_CURL, does="network", example="curl -fsSL https://example.org/a.json",
      flags={"--engine": Adds(opaque="a library is loaded into curl"), "--expand-output":
      Adds(opaque="where curl writes is put together by curl")}),
    P("wget", special="wget", options=_WGET, does="network write", example="wget -q https://example.org/a.tgz"),
    P("wget2", special="wget", options=_WGET, does="network write"),
    P("http", special="httpie", also="https xh xhs httpie", options=_HTTPIE, does="network",
      example="http POST :8000/a b=c"),
    P("aria2c", special="download", options=_ARIA, does="network write", dryrun="--dry-run -S",
      example="aria2c -x4 https://example.org/a.iso", flags={"--enable-rpc": Adds(action="net:listen",
      effects=effects("spawn "
      "network"), tags=("external",)), "-D": Adds(action="proc:spawn", effects=effects("spawn"))}),
    P("axel", special="download", does="network write", options="-o|--output:save -n|--num-connections:number "
      "-s|--max-speed:text -S?:number -H|--header:header -U|--user-agent:carried -T|--timeout:number -q -v -a -N -k "
      "-4 -6 -c -p"),
    P("yt-dlp", special="download", also="youtube-dl yt-dlp_linux", options=_YTDLP, does="network write",
      example="yt-dlp -F https://example.org/v", dryrun="-s -F -j -J -g -e --get-id --get-duration --get-filename "
      "--get-description --skip-download --list-subs --list-thumbnails -O",
      flags={"--downloader": Adds(opaque=_FETCHES),
      "--downloader-args": Adds(opaque=_FETCHES), "--cookies-from-browser":
      Adds(opaque="cookies are taken from a browser")}),
    P("you-get", special="opaque", also="lux", does="network write execute"),
    P("lwp-request", "fetch*", also="GET HEAD", options="-m:text -H:text -C:text -p:text -o:text -i:text -b:text "
      "-t:text -f -u -U -s -S -e -d -x -v -h -a", does="network"),
    P("lynx", special="browse", also="links links2 elinks w3m", stdin="address", action="net:browse", does="network",
      options="-dump -source -listonly -nolist -stdin -width:number -cmd_script:script "
      "-cfg|-config|-config-file|-config-dir|-eval|-editor|-o:config -lss:read -useragent:carried -auth:carried "
      "-post_data -accept_all_cookies -cookie_file:read -cookie_save_file:write -T:text -cols:number -O:text "
      "-I:text -no-references -no-numbering", example="lynx -dump https://example.org"),
    # Names and reachability
    P("dig", "name*", special="lookup", also="drill kdig delv", action="net:lookup",
      does="network",
      example="dig +short example.org MX", options="-f:send -k:read -b:text -c:text -p:number -q:name -t:text "
      "-x:name -y:text -4 -6 -h -i -m -r -u -v"),
    P("host", "name*", special="lookup", action="net:lookup", does="network",
      options="-t:text -c:text -N:number -R:number -W:number "
      "-m:text -p:number -a -C -d -i -l -r -s -T -v -w -4 -6"),
    P("nslookup", "name*", special="lookup", action="net:lookup", does="network", example="nslookup example.org"),
    P("whois", "name*", action="net:lookup", does="network", options="-h|--host:server -p|--port:number -i:text "
      "-T:text -t:text -v:text -q:text -g:text -s:text -a -H -I -V -d -c", flags={"-h": Adds(tags=("external",
      "sends"))}),
    P("dog", "name*", also="doggo", action="net:lookup", does="network",
      options="-q|--query:name -t|--type:text -n|--nameserver:server --class:text"),
    P("resolvectl", does="read", also="systemd-resolve", options="--legend:text -t|--type:text -c|--class:text "
      "-p|--protocol:text -i|--interface:text --json:text --no-pager", subs=(
        *each("resolvectl", "query service openpgp tlsa", "network", operands="name*",
          options="-t:text -c:text -p:text -i:text --legend?:text"),
        *each("resolvectl", "status statistics show-cache show-server-state", "read"),
        *each("resolvectl",
          "dns domain default-route llmnr mdns dnssec nta revert flush-caches reset-statistics log-level dnsovertls",
          "write", tags="privileged"))),
    P("fping", "host*", action="net:scan", does="network", tags="external", options="-c:number -C:number -i:text "
      "-p:text -r:number -t:text -b:number -B:text -f:read -I:text -S:text -g -a -A -d -D -e -l -n -q -s -u -v -4 -6"),
    P("ping", "host*", also="ping6 arping gping", action="net:ping", does="network",
      example="ping -c 3 example.org", options="-c:number -i:text -w:number -W:text -s:number -t:number -I:text "
      "-m:text -M:text -p:text -Q:text -S:text -l:number -f:text -F:text -g -a -A -b -B -D -n -q -v -V -4 -6 -h"),
    P("traceroute", "host number?", also="traceroute6 tracepath tracert tcptraceroute lft", action="net:ping",
      does="network", options="-f:number -g:text -i:text -m:number -N:number -p:number -q:number -s:text -t:text "
      "-w:text -z:text -l -n -r -I -T -U -M:text -4 -6 -d -F -A -e -b"),
    P("mtr", "host*", action="net:ping", does="network", options="-F|--filename:send -c|--report-cycles:number "
      "-i|--interval:text -s:number -m:number -f:number -a:text -I:text -P:number -o:text -B:text -Q:number -Z:text "
      "-G:text -n -b -r -w -x -j -C -l -p -z -y:number -t -g -4 -6 -u -T"),
    P("nmap", "host*", also="zenmap", action="net:scan", does="network", tags="external", options=_NMAP,
      example="nmap -sV 192.168.0.1", flags={name: Adds(opaque="scripts or data files of nmap that are not read") for
      name in ("--script", "--datadir", "--interactive")}),
    P("masscan", "host*", also="zmap arp-scan nbtscan", action="net:scan", does="network", tags="external",
      options="-p|--ports:text --rate:number -oX|-oJ|-oG|-oL|-oB:write -iL|--includefile:read -c|--conf:read "
      "-I|--interface:text --banners -l|--localnet "
      "-q"),
    P("nikto", special="opaque", also="sqlmap hydra gobuster ffuf dirb wfuzz wpscan msfconsole metasploit hashcat "
      "john", action="net:attack", does="network execute", tags="external"),
    P("ab", "fetch", special="on_loopback", action="net:load", does="network", tags="external",
      example="ab -n 100 http://localhost:8000/",
      options="-p:send -u:send -e:write -g:write -E:read -n:number -c:number -t:number -s:number -b:number -B:text "
      "-T:text -v:number -w -i -x:text -y:text -z:text -C:text -H:text -A:carried -P:carried -X:detour -m:method "
      "-f:text -Z:text -k -V -h -d -S -q -l -r -I"),
    P("wrk", "fetch", also="wrk2", special="on_loopback", action="net:load", does="network", tags="external",
      options="-s|--script:text "
      "-t|--threads:number -c|--connections:number -d|--duration:text -R|--rate:text -H|--header:text "
      "--timeout:text --latency -L -v", flags={"-s": Adds(opaque="a script is loaded into wrk")}),
    P("hey", "fetch", also="bombardier oha", special="on_loopback", action="net:load", does="network",
      tags="external", options="-n:number "
      "-c:number -q:number -z:text -m:method -H:text -t:text -A:text -d:text -D:send -T:text -a:carried -x:detour "
      "-h2 -host:text -o:text -cpus:number -l -r:number -disable-keepalive -disable-compression -disable-redirects "
      "--no-tui --json"),
    P("autocannon", "fetch", special="on_loopback", action="net:load", does="network", tags="external",
      example="autocannon -d 5 http://localhost:3000", options="-c|--connections:number -p|--pipelining:number "
      "-d|--duration:text -a|--amount:number -L|--sampleInt:number -w|--workers:number -m|--method:method "
      "-t|--timeout:number -T|--title:text -b|--body:text -F|--form:send -i|--input:send -H|--headers:text "
      "-B|--bailout:number -M|--maxConnectionRequests:number -O|--maxOverallRequests:number "
      "-r|--connectionRate:number -R|--overallRate:number -C|--ignoreCoordinatedOmission -D|--reconnectRate:number "
      "-n|--no-progress -l|--latency -I|--idReplacement -j|--json -f|--forever -s|--servername:text "
      "-x|--excludeErrorStats "
      "-E|--expectBody:text --renderStatusCodes --debug -v|--version -h|--help -S|--socketPath:detour --har:send "
      "--on-port|--cert|--key|--ca:text!loads", flags={"loads": Adds(opaque="a server that is started, or keys")}),
    P("siege", "fetch*", special="on_loopback", action="net:load", does="network", tags="external",
      options="-c:number -t:text -r:text "
      "-d:text -f:send -R:send -l?:write -H:text -A:text -T:text -b -i -q -v -g -p -C -j"),
    P("iperf", "text*", also="iperf3 iperf2", action="net:load", does="network", options="-c|--client:host "
      "-s|--server!server -p:number -t:number -i:number -b:text -n:text -P:number -w:text -B:text -f:text -F:send "
      "-D|--daemon -I:write --logfile:write -u -R -J -V -4 -6 -d -r", flags={"server": _SPAWNS, "-D": _SPAWNS}),
    P("speedtest", also="speedtest-cli fast", action="net:load", does="network",
      options="--server:text --json --simple --list --bytes --share"),
    P("grpcurl", "host? method?", special="on_loopback", action="net:send", does="network", tags="external sends",
      example="grpcurl -plaintext localhost:50051 list", options="-d:text -H:text -proto:read -import-path:list "
      "-protoset:read -protoset-out:write -cacert:read -cert:read -key:taken -authority:text -max-time:text "
      "-connect-timeout:text -format:text -plaintext -insecure -v -vv -emit-defaults -use-reflection "
      "-rpc-header:text -reflect-header:text -user-agent:text -servername:text -unix"),
    P("websocat", special="websocat", does="network", options="-s|--server-mode -H|--header:text "
      "--protocol:text --origin:text -k -v -q -1 -n -E -t -b --exec", example="websocat ws://localhost:8000/ws"),
    P("wscat", special="websocat", does="network", options="-c|--connect:url -x|--execute:text -H|--header:text "
      "-l|--listen:number -o|--origin:text -p|--protocol:number -s|--subprotocol:text -w|--wait:number -n|--no-check "
      "-P|--show-ping-pong --no-color --slash", example="wscat -c ws://localhost:8000/ws"),
    # TLS
    P("openssl", subs=(
        *each("openssl", "version ciphers list help errstr prime speed rand passwd", "", options=_SSL, flags=_ENGINE),
        *each("openssl", "enc req x509 rsa dsa ec ecparam pkey pkeyparam pkeyutl rsautl genrsa gendsa genpkey "
          "dhparam pkcs12 pkcs8 pkcs7 asn1parse crl crl2pkcs7 nseq cms smime ts spkac sess_id kdf storeutl "
          "aes-256-cbc base64 des3 aes-128-cbc", "", options=_SSL, flags=_ENGINE),
        *each("openssl", "rehash ca", "write", options=_SSL, flags=_ENGINE),
        *each("openssl", "dgst verify mac md5 sha1 sha256 sha512 sha384 sha224", "", operands="read*",
          options=_SSL.replace("-verify ", "-verify:read "), flags=_ENGINE),
        P("s_client", action="net:connect", does="network", options=_SSL, flags=_ENGINE, stdin="send", words=2),
        P("ocsp", action="net:fetch", does="network", options=_SSL, flags=_ENGINE, words=2),
        P("s_time", action="net:load", does="network", options=_SSL, flags=_ENGINE, words=2),
        P("s_server", action="net:listen", does="spawn network", tags="external", options=_SSL, flags=_ENGINE,
          words=2),),
          example="openssl x509 -in a.pem -noout -text"),
    P("certbot", special="opaque", also="acme.sh lego", does="network write execute", tags="external privileged"),
    P("mkcert", "host*", does="write", options="-cert-file:write -key-file:write -p12-file:write -install!install "
      "-uninstall -CAROOT -pkcs12 -ecdsa -client -csr:read", flags={"install": _CHANGES}),
    # Traffic
    P("tcpdump", "text*", special="capture",
      options=_TCPDUMP, action="net:capture", does="read", example="tcpdump -r a.pcap",
      flags={"-z": Adds(opaque="a program is run for each file")}),
    P("tshark", "text*", special="capture", also="wireshark dumpcap termshark rawshark",
      options=_TSHARK, action="net:capture",
      does="read", example="tshark -r a.pcap -Y http", flags={"-X": Adds(opaque="a script is loaded into tshark")}),
    P("ngrep", "text*", special="capture", action="net:capture", does="read",
      options="-O:write -I:read -F:read -d:text -n:number "
      "-A:number -s:number -S:number -W:text -c:number -P:text -q -i -w -v -x -l -t -T -D -e -p -R -X"),
    P("capinfos", "read*", also="editcap mergecap", special="opaque", does="read"),
    P("iftop", also="nethogs bmon vnstat nload iptraf iptraf-ng", does="read", options="-i:text -f:text -F:text "
      "-c:text -n -N -P -B -p -t -s:number -d:number -v:number -l -h"),
    # Interfaces and routes
    P("ip", special="ip", does="read", example="ip -br addr", options="-b|-batch|--batch:batch "
      "-f|-family|--family:text -n|-netns|--netns:text -l|-loops:number -rc|-rcvbuf:text -4 -6 -0 -B -M -s|-stats "
      "-d|-details -o|-oneline -r|-resolve -a|-all -c?:text -color?:text -br|-brief -j|-json -p|-pretty -t -ts "
      "-h|-human -iec -N -V -force"),
    P("tc", special="ip", also="bridge rdma devlink", does="read", options="-b|-batch:batch -n|-netns:text "
      "-s|-statistics -d|-details -r|-raw -p|-pretty -i|-iec -g|-graph -j|-json -c -color?:text -V -force -name -o "
      "-t -timestamp"),
    P("ss", "text*", does="read", action="net:sockets", options="-F|--filter:read -D|--diag:write -f|--family:text "
      "-A|--query:text -N:text -K|--kill!kill -t -u -w -x -l -a -n -p -r -e -o -m -i -s -z -Z -4 -6 -0 -b -E -H -O "
      "-S -M -V -h", flags={"kill": Adds(action="net:configure", effects=effects("write"), tags=("privileged",))},
      example="ss -tlnp"),
    P("netstat", "text*", does="read", action="net:sockets",
      options="-A:text -c -a -n -t -u -l -p -r -i -s -e -v -g -N -W -x -o -C -4 -6 -w", example="netstat -tlnp"),
    P("ifconfig", special="configure", does="read", example="ifconfig eth0"),
    P("route", special="configure", also="iwconfig mii-tool brctl", does="read", example="route -n"),
    P("arp", "host*", does="read", action="net:neighbours", options="-s|--set:host -d|--delete:host -f|--file?:read "
      "-i:text -H:text -t:text -a -n -v -e -D -A:text", flags={"-s": _CHANGES, "-d": _CHANGES, "-f": _CHANGES}),
    P("iw", special="configure", also="iwlist wpa_cli rfkill", does="read"),
    P("nmcli", special="configure", does="read", example="nmcli device status"),
    P("networkctl", subs=(
        *each("networkctl", "list status lldp label", "read"),
        *each("networkctl", "up down renew reload reconfigure forcerenew delete", "write", tags="privileged")),
          default=P("networkctl", action="networkctl:list", does="read")),
    P("ethtool", special="configure", does="read"),
    P("dhclient", special="opaque", also="dhcpcd udhcpc wpa_supplicant hostapd dnsmasq", does="spawn network",
      tags="privileged"),
    P("ipcalc", "text*", also="sipcalc ipcalc-ng", does=""),
    P("getmac", also="macchanger", special="configure", does="read"),
)  # fmt: skip

PROGRAMS = apart(_ROWS)
