# Before each prompt: nothing while nothing changed, which `same` finds out without a process; else
# the program says what to do and what to watch, as JSON.
use path

var program = (external @PROGRAM@)
var state = '...'
var before = ''
var watch = $nil

fn here {
  put $pwd':'$E:CUDAENV_ACTIVE':'$E:CUDAENV_CHOSEN_BY':'$E:CUDAENV_ROOT':'$E:CUDAENV_CEILING':'$E:PATH
}

fn is-file {|path| path:is-regular &follow-symlink=$true $path }
fn is-folder {|path| path:is-dir &follow-symlink=$true $path }

fn same {
  if (or (eq $watch $nil) (not-eq $before (here))) { put $false; return }
  for path $watch[no_file] { if (is-file $path) { put $false; return } }
  for path $watch[present] { if (not (is-folder $path)) { put $false; return } }
  for path $watch[absent] { if (is-folder $path) { put $false; return } }
  if (has-key $watch file) {
    if (not (is-file $watch[file])) { put $false; return }
    var text = $nil
    try { set text = (slurp < $watch[file]) } catch { nop }
    if (not-eq $text $watch[text]) { put $false; return }
  }
  put $true
}

fn look {
  var answer = ($program hook elvish $state < /dev/null | from-json)
  for name (keys $answer[change][set] | put [(all)]) { set-env $name $answer[change][set][$name] }
  for name $answer[change][unset] { unset-env $name }
  set watch = $answer[watch]
  set state = $watch[state]
  set before = (here)
}

# The program has said why it failed. In another folder it may be otherwise.
fn wait {
  set watch = [&no_file=[] &present=[] &absent=[]]
  set before = (here)
}

# Once in a shell, however often this is read.
if (not-eq $E:__CUDAENV_ELVISH (to-string $pid)) {
  set-env __CUDAENV_ELVISH $pid
  set edit:before-readline = (conj $edit:before-readline { if (not (same)) { try { look } catch { wait } } })
}
