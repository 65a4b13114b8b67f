"""Code that looks as if it only computed: what hides from a reader, and what gets a function without naming it."""

from __future__ import annotations

import pytest

from interlock.reading.inline import only_computes

RUNS = 'require("child_process").execSync("touch made")'

HIDDEN = [
    # a pattern that is taken for a division, and the other way round
    ("node", f"delete /'/.a;{RUNS}//'"),
    ("node", f"void /'/;{RUNS}//'"),
    ("node", f"if(0);else /'/;{RUNS}//'"),
    ("node", f"async function String(){{await /'/;{RUNS}//'\n}}String()"),
    ("node", f"1 instanceof /'/;{RUNS}//'"),
    ("node", f"[].of /{RUNS}/ 1"),
    ("node", f"[].in /{RUNS}/ 1"),
    ("node", f"for(;;){{break\n/'/;{RUNS}//'\n}}"),
    # lines that end where nobody looks
    ("node", f"1//\u2028{RUNS}"),
    ("node", f"1//\u2029{RUNS}"),
    ("ruby", "p 1 #\x0bsystem('touch made')"),
    # comments and texts that are none
    ("php", "#[A] function f(){} system('touch made');"),
    ("php", "$x=#[A]fn()=>1;system('touch made');"),
    ("ruby", "p ?#; system('touch made')"),
    ("ruby", "p ?'; system('touch made') #'"),
    ("ruby", "x = %-'-; system('touch made') #'"),
    ("ruby", "x = %='=; system('touch made') #'"),
    ("ruby", "p %,',; system('touch made') #'"),
    ("ruby", "p 1 if%-'-; system('touch made') #'"),
]

UNNAMED = [
    # a name that is bound elsewhere
    ("node", "{let child_process=1}const o={};o.join=child_process.execSync;o.join('touch made')"),
    ("node", "{let child_process=1} [child_process.execSync].at(0)"),
    ("node", "[1].map(child_process => 1); child_process.x"),
    ("node", "[1].map((child_process) => 1), child_process.x"),
    ("node", "for (const child_process of [1]) console.log(1)\nchild_process.x"),
    ("node", "for (const child_process of [1]) { console.log(1) } child_process.x"),
    ("node", "child_process.x; var child_process = 1"),
    ("node", "const f = function (child_process) { return 1 }; child_process.x"),
    ("node", """{let eval=1}"x".replace(...[/.+/,eval])"""),
    # a function that is stored under a name which can be called
    ("node", "const o={};const k='con'+'structor';o.join=[].map[k];o.at=o.join('x');o.at()"),
    ("node", "const o={};const k='con'+'structor';o['join']=[].map[k];o.join('x')"),
    ("node", "const o={};const k='con'+'structor';const j='jo'+'in';o[j]=[][k][k];o.join('x')"),
    ("node", "const k='con'+'structor';const o={join:[][k][k]};o.join('x')"),
    ("node", "const k='con'+'structor';const o={'join':[][k][k]};o.join('x')"),
    ("node", "const k='con'+'structor';const join=[][k][k];const o={join};o.join('x')"),
    ("node", "const k='con'+'structor';const o={a:1,join:1||[][k][k]};o.join('x')"),
    ("node", "const k='con'+'structor';const o={};o.join=o.x||[][k][k];o.join('x')"),
    ("node", "const k='con'+'structor';const o={};o.join||=[][k][k];o.join('x')"),
    ("node", "const k='con'+'structor';const o={};o.join??=[][k][k];o.join('x')"),
    ("node", "const k='con'+'structor';const o={};[o.join]=[[][k][k]];o.join('x')"),
    ("node", "const k='con'+'structor';const o={};({a:o.join}={a:[][k][k]});o.join('x')"),
    ("node", "const k='con'+'structor';const o={};for(o.join of [[][k][k]]){}o.join('x')"),
    ("node", "const k='con'+'structor';const o={};for await(o.join of [[][k][k]]){}o.join('x')"),
    ("node", "const k='con'+'structor';const o={};o.join=[[][k][k]].at(0);o.join('x')"),
    ("node", "const k='con'+'structor';const o=Object.fromEntries([['join',[][k][k]]]);o.join('x')"),
    ("node", "const k='con'+'structor';const o=JSON.parse('{\"join\":1}',(a,b)=>[][k][k]);o.join('x')"),
    ("node", "const {constructor}=()=>1;const o={};o.x=constructor"),
    ("node", "const s=http.createServer();s.join=s.listen;s.join('x.sock')"),
    ("node", "const r=http.get('http://127.0.0.1:9/');const a=r.agent;a.x"),
    # functions that node itself calls
    ("node", "path.basename=()=>'a.js';require('./data.json')"),
    ("node", "path.resolve=()=>'/tmp/evil.js';require('./data.json')"),
    ("node", "path['basename']=()=>'a.js';require('./data.json')"),
    ("node", "Math.max=x=>x;Math.max('x')"),
    ("node", "path.sep+='x'"),
    ("node", "Error.prepareStackTrace=(a,b)=>b"),
    # arguments that stand elsewhere than it looks
    ("node", "'x'.replace(...[/.+/,parseInt])"),
    ("php", "array_filter(...[['touch made'],'system']);"),
    ("php", "$a=['touch made',1];usort(...[$a,'system']);"),
    ("php", "array_filter(callback: 'system', array: ['x']);"),
    ("php", "filter_var('touch made',1024,['options'=>'system']);"),
]

MORE = [
    ("php", "array_map\n('system',['x']);"),
    ("php", "$a=['x',1];usort\n($a,'system');"),
    ("node", "const F=[].map['x'+1];Array.from\n(['a'],F)"),
    ("ruby", '["a"].inject\n(:instance_eval)'),
    ("node", "const k='con'+'structor';parseInt=[].map[k];parseInt('x')"),
    ("node", "const o=Object.fromEntries([['join',[].map['const\\x72uctor']]]);o.join('x')"),
    ("node", "const o=Object.fromEntries([['join',[].map[\n'constructor']]]);o.join('x')"),
    ("node", "const o={'to\\x4aSON':[].x};JSON.stringify(o)"),
    ("node", "const o={'toJSON':[].x};JSON.stringify(o)"),
    ("node", "const k='con'+'structor';const o={};o.join=new Map([[1,[].map[k]]]).get(1);o.join('x')"),
    ("node", "const k='con'+'structor';const o={};let x=1;o.join=[].map[k]\n++x+1;o.join('x')"),
    ("node", "var child_process;Object.fromEntries([['join',child_process.execSync]]).join('x')"),
    ("node", "if(0)var child_process=1;Object.fromEntries([['join',child_process.execSync]]).join('x')"),
    ("node", "if(0)\nvar child_process=1;Object.fromEntries([['join',child_process.execSync]]).join('x')"),
    ("node", "for(const child_process of [1])if(1){} Object.fromEntries([['join',child_process.execSync]])"),
    ("node", "const constructor=require('os');Object.fromEntries([['join',[].map.constructor]]).join('x')"),
    ("node", "const then=require('os');Promise.resolve({then:[].x})"),
    ("node", "{const net=require('http')} net.get('http://x.example')"),
    ("node", "try { 1 } catch (child_process) { 2 } child_process.x"),
    ("node", "process.stdout.write('x', [].at)"),
    ("php", """echo "{$ {system('x')}}";"""),
    ("perl", """print "$.[system('x')]\""""),
    ("perl", """print "$.->[system('x')]\""""),
    ("perl", """print "$)[system('x')]\""""),
    ("perl", """print "$|[system('x')]\""""),
    ("perl", """print "@-[system('x')]\""""),
    ("perl", """print 1 if 'x'=~/$.[system('x')]/"""),
    ("perl", """print 1 if 'x'=~/$)[system('x')]/"""),
    ("perl", """print "$ {system('x')}\""""),
    ("perl", "map {$_} $#{[system('x')]}"),
    ("perl", "if(1){} $#{[system('x')]}\n;"),
    ("perl", "my $f='STDOUT';print  {$f} 1"),
    ("ruby", '["a","b"].inject :instance_eval'),
    ("ruby", """["a","b"].inject 'instance_eval'"""),
    ("ruby", """["a"].each_with_object("b", &"instance_eval".to_sym)"""),
    ("ruby", """["a"].each_with_object("b", &:"instance_eval")"""),
    ("ruby", "$LOAD_PATH.push('.').reverse!;require 'csv'"),
]

OTHER_FILES = [
    ("node", "require('fs').readFileSync('a',{flag:'w+'})"),
    ("node", "const o={flag:'w+'};require('fs').readFileSync('a',o)"),
    ("node", "require('fs').readFileSync('a',{...{flag:'w+'}})"),
    ("node", "require('fs').writeFileSync('a','b',{mode:0o755})"),
    ("node", "{const __filename='a.txt';} require('fs').writeFileSync(__filename,'x')"),
    ("ruby", "File.read('a', mode: 'w+')"),
    ("ruby", "File.readlines('a', mode: 'w+')"),
    ("ruby", "puts Dir.glob('*', base: '/etc').size"),
    ("php", "file_put_contents('a','x',1);"),
    ("node", "http.createServer((q,r)=>{q.on('data',d=>fs.writeFileSync('n.js',d))}).listen(38471)"),
    ("node", "const fs=require('fs');fs.writeFileSync('q.js',fs.readFileSync('/dev/fd/0'))"),
    ("node", "const fs=require('fs');fs.writeFileSync('q.js',fs.readFileSync('/proc/self/fd/0'))"),
    ("ruby", "File.write('q.rb',File.read('/dev/fd/0'))"),
]


@pytest.mark.parametrize(("language", "code"), [*HIDDEN, *UNNAMED, *MORE, *OTHER_FILES])
def test_code_in_disguise_is_not_read(language: str, code: str) -> None:
    assert only_computes(language, code) is None


PLAIN = [
    ("node", "const p = require('./package.json'); p.scripts.test = 'vitest'; console.log(p)"),
    ("node", "const p = require('./package.json')\np.scripts.test = 'vitest'\nconsole.log(p)"),
    ("node", "const o = {test: 'jest', values: [1], keys: 2 + 3}; console.log(o)"),
    ("node", "const g = {}; for (const x of ['a']) { g[x] = g[x] || []; g[x].push(1) } console.log(g)"),
    ("node", "const c = {}; for (const w of 'a b'.split(' ')) c[w] = (c[w] || 0) + 1"),
    ("node", "const c = {}; 'a b'.split(' ').forEach(w => { c[w] = w.length })"),
    ("node", "const c = {}; for (const [k, v] of Object.entries({a: 'b'})) { c[k] = String(v) }"),
    ("node", "const {keys, values} = JSON.parse('{}'); console.log(keys, values)"),
    ("node", "console.log([1, 2].map(({text}) => text))"),
    ("node", "const a = [1, 2]; a[0] = a[1]; console.log(a)"),
    ("node", "process.exitCode = 1"),
    ("node", "console.log(Object.fromEntries(Object.entries({a: 1}).map(([k, v]) => [k, v + 1])))"),
    ("node", "const f = x => { const y = x * 2; return y + 1 }; console.log([1].map(x => x / 2))"),
    (
        "node",
        "const lines = 'a\\nb'.split('\\n'); const hits = lines.filter(l => /a/.test(l)); hits.length",
    ),
    ("node", "const t = x => { return /a/.test(x) }; console.log(null / 1, [1].length / 2)"),
    ("node", "console.log(JSON.parse(require('fs').readFileSync('a.json', {encoding: 'utf8'})))"),
    ("node", "console.log(require('fs').readdirSync('.', {withFileTypes: true}).length)"),
    ("node", "const s=require('fs').readFileSync('log.txt','utf8');console.log(s.split('\\n').length)"),
    (
        "node",
        "try{JSON.parse(require('fs').readFileSync('a.json','utf8'))}catch(e){console.log(e.message)}",
    ),
    ("node", "fetch('http://localhost:1').then(r => r.json()).catch(e => console.log(e.message))"),
    ("node", "const s = 'a'; if (!s.includes('x')) { throw new Error('no x') }"),
    ("node", "const a=require('./a.json'),b=require('./b.json');console.log(Object.keys(a).filter(k=>!(k in b)))"),
    ("node", "const by={};for(const x of [{type:1}]){(by[x.type]??=[]).push(x)}"),
    ("node", "var d='';process.stdin.on('data',c=>d+=c);process.stdin.on('end',()=>console.log(d.length))"),
    ("node", "var a = 1\nvar b = 2\nconsole.log(a + b)"),
    ("perl", 'print "$x costs 5\\n" if /a$/ && /(b$|c)/'),
    ("perl", 'print "$.: $_" if /a/'),
    ("perl", 'printf "%s %s", split / +/, $_, 2'),
    ("ruby", "s=File.read('a.rb'); s.gsub!('foo','bar'); File.write('a.rb',s)"),
    ("ruby", "puts [1, 2].inject(:+), [1].inject { |a, b| a + b }"),
    ("ruby", "puts 7 % 3, x = 4%2"),
    ("ruby", "x = 3; puts x > 1 ? 'a' : 'b'"),
    ("ruby", "require 'csv'; puts CSV.read('a.csv', headers: true).size"),
    ("ruby", "File.write('a.log', 'x', mode: 'a')"),
    ("php", "print_r(file('a', FILE_IGNORE_NEW_LINES | FILE_SKIP_EMPTY_LINES));"),
]


@pytest.mark.parametrize(("language", "code"), PLAIN)
def test_code_that_is_plain_is_still_read(language: str, code: str) -> None:
    assert only_computes(language, code) is not None
