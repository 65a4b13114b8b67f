"""Editors, viewers, browsers and what steers a desktop."""

from __future__ import annotations

from .kinds import apart, each
from .spec import Adds, P, effects

__all__ = ["PROGRAMS"]

_VIM = (
    "-c|--cmd:ex -S:load -s:load -u|-U|-i:start -w|-W:write -r|-L?:text -T:text -t:text -q:read -d -D -e -E -v -y -Z "
    "-R -M -m -b -l -n -N -A -H -F -f -g -x -X -p?:text -o?:text -O?:text -V?:text -h --noplugin --clean "
    "--not-a-term --headless --embed --startuptime:write --log:write --listen:text --server:text --servername:text "
    "--remote-send|--remote-expr:ex --remote --remote-silent --remote-wait --remote-tab --serverlist --version "
    "--help -es -Es -nw -esn --ttyfail"
)
_EMACS = (
    "--eval|-eval|--execute|-execute:lisp -l|--load|-load:load -f|--funcall|-funcall|-e:lisp "
    "--script|-script|-x:load --batch|-batch -q|--no-init-file -Q|--quick -nw|--no-window-system --daemon?:text "
    "--bg-daemon?:text --fg-daemon?:text --insert|-insert:read -L|--directory|-directory:text -u|--user:text "
    "--init-directory:load --chdir:text -t|--terminal:text -d|--display:text --no-site-file --no-splash --no-desktop "
    "-T:text --title:text -fn:text -bg:text -fg:text -g:text --version --help --kill|-kill"
)
_CODE = (
    "-d|--diff -g|--goto -n|--new-window -r|--reuse-window -w|--wait -a|--add -m|--merge "
    "--install-extension:package!install --uninstall-extension:package!change --list-extensions!look "
    "--extensions-dir:text --user-data-dir:text --extensionDevelopmentPath:text --extensionTestsPath:text "
    "--enable-proposed-api:text --remote:text --folder-uri:text --file-uri:text --locale:text --profile:text "
    "--log:text --status!look --version!look -v!look --help!look -h!look --disable-extensions --disable-gpu --force "
    "--pre-release --show-versions --category:text --verbose --prof-startup --add-mcp:text --command:text "
    "--background -b -p"
)
_CHROME = (
    "--headless?:text --screenshot?:save --print-to-pdf?:save --dump-dom --user-data-dir:write --window-size:text "
    "--disable-gpu --no-sandbox --incognito --app:address --new-window --kiosk --virtual-time-budget:number "
    "--remote-debugging-port:text!listens --remote-debugging-address:text!listens --remote-debugging-pipe!listens "
    "--proxy-server:detour --host-resolver-rules:detour --user-agent:carried --load-extension:text "
    "--disable-extensions-except:text "
    "--renderer-cmd-prefix|--gpu-launcher|--utility-cmd-prefix|--browser-subprocess-path:text "
    "--crash-dumps-dir:text --disable-web-security --allow-file-access-from-files --hide-scrollbars "
    "--disable-dev-shm-usage -headless -screenshot:save -P:text -p:text -profile|--profile:write -CreateProfile:text "
    "-new-window -new-tab -private-window -no-remote -version --version -install-global-extension:text "
    "-start-debugger-server:text!listens -marionette!listens"
)
_RUNS = Adds(opaque="a program or an extension that the browser loads")
_LISTENS = Adds(opaque="the browser can be steered from outside")
_MACROS = "a macro or a connection that can run code"

_ROWS = (
    # Editors
    P("vim", special="vim", also="vi nvim ex view gvim mvim rvim rview vimdiff nvimdiff gview evim vimx neovide "
      "vim.tiny vim.basic", options=_VIM, does="execute", example="vim +10 a.py"),
    P("emacs", special="emacs", also="emacsclient emacs-nox xemacs mg jmacs", options=_EMACS +
      " -a|--alternate-editor:lisp -c -n -s:text -F:text", does="execute", example="emacs -nw a.py"),
    P("ed", special="line_editor", also="red", options="-s -G -p:text -r -v -l -E -q", does="execute",
      example="ed -s a.txt"),
    P("nano", "edit*", also="pico rnano", action="exec:nano", does="execute", tags="interactive",
      options="-s|--speller:command -f|--rcfile:text -C|--backupdir:write -o|--operatingdir:text -Q|--quotestr:text "
      "-T:number -X:text -Y:text -J:number -r:number -A -B -D -E -F -G -H -I -K -L -M -N -P -R -S -U -V -W -Z -a -b "
      "-c -d -e -g -h -i -j -k -l -m -n -p -q -t -u -v -w -x -y -z -%", flags={"-s":
      Adds(opaque="a program that the editor runs"), "-f":
      Adds(opaque="settings of the editor that can run commands")}),
    P("micro", "edit*", also="joe jstar jpico rjoe kak kakoune helix hx ne tilde mcedit dte zile",
      action="exec:editor", does="execute", tags="interactive", options="-plugin:text -config-dir:text -e:code.kak "
      "-E:code.kak -f:code.kak -n -s:text -c:text -p:text -l -ui:text -startpos:text -rdonly -asis -linums -g -v "
      "--health", flags={"-plugin": Adds(opaque="plug-ins of the editor"), "-config-dir":
      Adds(opaque="settings of the editor that can run commands")}),
    P("code", "edit*", also="code-insiders codium cursor windsurf vscodium", action="exec:code", does="spawn",
      options=_CODE, dryrun="look", example="code -g a.py:10", flags={"install": Adds(action="pkg:install",
          effects=effects("network "
      "write execute"), tags=("install",)), "change": Adds(effects=effects("write")), "--extensionDevelopmentPath":
      Adds(opaque="an extension that is loaded"), "--extensionTestsPath": Adds(opaque="an extension that is loaded"),
      "--add-mcp": Adds(opaque="a tool server is added"), "--extensions-dir":
      Adds(opaque="extensions from a place of one's own"), "--user-data-dir":
      Adds(opaque="settings from a place of one's own")}, subs=(
        P("tunnel", action="net:expose", does="spawn network", tags="external", risk="high", words=2),
        P("serve-web", action="net:listen", does="spawn network", tags="external", words=2),
        P("chat", "text*", special="opaque", does="execute network", words=2)), default=P("code", "edit*",
          action="exec:code", does="spawn", options=_CODE, dryrun="look", flags={"install":
          Adds(action="pkg:install", effects=effects("network write execute"), tags=("install",)), "change":
          Adds(effects=effects("write"))})),
    P("subl", "edit*", also="atom gedit kate kwrite mousepad pluma xed leafpad notepadqq geany bbedit mate zed "
      "xcode idea pycharm webstorm goland clion phpstorm rubymine studio fleet gnome-text-editor",
      action="exec:editor", does="spawn", options="-n -a -w -s -b -d|--diff --command:code.subl --project:text "
      "--line:text --column:text --wait -g -x:text --new-window -l:text"),
    # Opening things
    P("xdg-open", special="browse", also="open gnome-open kde-open gvfs-open exo-open sensible-browser "
      "x-www-browser www-browser wslview start cygstart termux-open garcon-url-handler", action="desktop:open",
      does="spawn", example="xdg-open a.pdf", options="-a:text -b:text -e -t -f -F -W -R!reveal -n -g -j -h -s:text "
      "-u:address --args!args --env:text --stdin:read --stdout:write --stderr:write", flags={"args":
      Adds(opaque="arguments for a program that is opened"), "--env":
      Adds(opaque="an environment for a program that is opened")}),
    P("chromium", special="browse", also="chromium-browser google-chrome google-chrome-stable chrome brave "
      "brave-browser microsoft-edge msedge vivaldi opera firefox firefox-esr librewolf safari", stdin="address",
      action="net:browse", does="spawn network execute", options=_CHROME,
      example="chromium --headless --dump-dom https://example.org", dryrun="--headless -headless --version -version",
      flags={"--renderer-cmd-prefix": _RUNS, "--load-extension": _RUNS, "--disable-extensions-except": _RUNS,
      "-install-global-extension": _RUNS, "listens": _LISTENS}),
    P("libreoffice", special="office", also="soffice lowriter localc loimpress lodraw unoconv", does="execute",
      example="soffice --headless --convert-to pdf a.docx", options="--convert-to:text --outdir:write "
      "--infilter:text --printer-name:text --accept|-accept:text --headless --invisible --norestore --nologo "
      "--nolockcheck --nodefault --view --writer --calc --impress --draw -p -n -o --cat --print-to-file --pt:text "
      "--show --quickstart --safe-mode --version --help --language:text --script-cat -f|--format:text "
      "--convert-images-to:text", flags={"--accept": Adds(opaque=_MACROS)}),
    P("evince", "read*", also="okular eog gpicview feh sxiv imv nsxiv qiv geeqie gwenview mupdf qpdfview atril "
      "viewnior gthumb", action="desktop:view", does="execute", tags="interactive", options="-p|--page-index:text "
      "-i:text -f -s -w -S:text -g|--geometry:text -z -Z -x -F -d -D:text -r -l -L:text -m -t -X -q -Q -o:text "
      "-O:text -B:text -A|--action:command --action1|--action2|--action3:command --info:command --bg-fill:text "
      "--bg-scale:text --synctex-editor-command:command -e:text -c|--config-dir:text --script|--scripts:text "
      "--input-ipc-server:text --vo:text --ao:text --lua:text", flags={"-A":
      Adds(opaque="a command that the viewer runs"), "--action1": Adds(opaque="a command that the viewer runs"),
      "--info": Adds(opaque="a command that the viewer runs"), "--script":
      Adds(opaque="a script that the viewer loads"), "-c":
      Adds(opaque="settings of the viewer that can run commands")}),
    # Talking to the person and the desktop
    P("zenity", "text*", also="kdialog dialog whiptail xmessage gxmessage dmenu", does="read", action="desktop:ask",
      options="--textbox:read --filename:read --tailbox:read --editbox:read --title:text --text:text "
      "--backtitle:text -modi:text -run-command:command -show:text", flags={"-modi":
      Adds(opaque="a script that the menu runs")}),
    P("xdotool", special="opaque", also="ydotool wtype xte cliclick autokey-run xvkbd dotool", action="desktop:type",
      does="execute", tags="unread"),
    P("wmctrl", special="configure", also="xinput xkill-window i3-msg swaymsg hyprctl bspc", action="desktop:steer",
      does="execute", tags="unread"),
    P("gsettings", words=2, example="gsettings get org.gnome.desktop.interface gtk-theme", subs=(
        *each("gsettings", "get list-keys list-schemas list-recursively list-children describe range writable "
          "monitor help list-relocatable-schemas", "read"),
        *each("gsettings", "set reset reset-recursively", "write", operands="setting*", tags="persistence"))),
    P("dconf", words=2, subs=(
        *each("dconf", "read list dump watch help", "read"),
        *each("dconf", "write reset load update compile", "write", operands="setting*", tags="persistence"))),
    P("gio", words=2, subs=(
        *each("gio", "info list tree cat monitor mime version help", "read", operands="list*"),
        *each("gio", "copy mkdir save set mount", "write", operands="edit*"),
        *each("gio", "move rename", "write", operands="move+ write"),
        *each("gio", "trash", "write", operands="move*"),
        *each("gio", "remove", "destructive", operands="delete*", options="-f", irreversible=True),
        P("open", special="browse", action="desktop:open", does="spawn", words=2),
        P("launch", "script text*", action="desktop:open", does="spawn", words=2))),
    P("xdg-mime", words=2, subs=(
        *each("xdg-mime", "query", "read"),
        *each("xdg-mime", "default install uninstall", "write", tags="persistence"))),
    P("xdg-settings", words=2, subs=(
        *each("xdg-settings", "get check", "read"),
        *each("xdg-settings", "set", "write", tags="persistence"))),
    P("xdg-email", "to*", action="mail:send", does="network", tags="external sends",
      options="--attach:send --subject:text --body:text --cc:to --bcc:to --utf8"),
    P("scrot", "write?", also="gnome-screenshot maim grim import flameshot spectacle xwd screencapture",
      action="desktop:screenshot", does="write", tags="secret", options="-e|--exec:command -f:text -d:text -q:text "
      "-a:text -w:text -s -u -c -t:text -D:text -R:text -l:text -x -i -o -m -M -T:text -S -p -g:text -window:text"),
    P("gtk-launch", special="opaque", also="dex kstart flatpak-spawn gnome-terminal xterm konsole alacritty kitty "
      "terminator urxvt rxvt tilix wezterm lxterminal xfce4-terminal gnome-session", does="spawn execute"),
    P("krita", special="opaque", also="audacity obs handbrake", does="execute"),
)  # fmt: skip

PROGRAMS = apart(_ROWS)
