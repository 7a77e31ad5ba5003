# Before each prompt: nothing while nothing changed, which `__cudaenv_same` finds out without a
# process; else the program says what to do and what to watch, as JSON.
def __cudaenv_here [] {
  [$env.PWD $env.CUDAENV_ACTIVE? $env.CUDAENV_CHOSEN_BY? $env.CUDAENV_ROOT? $env.CUDAENV_CEILING?
    ($env.PATH? | default [] | str join ":")]
}

def __cudaenv_is [path: string, kind: string] {
  ($path | path exists) and (($path | path expand | path type) == $kind)
}

def __cudaenv_same [] {
  let last = $env.__cudaenv?
  if $last == null { return false }
  if $last.here != (__cudaenv_here) { return false }
  let watch = $last.watch
  if ($watch.no_file | any {|path| __cudaenv_is $path file }) { return false }
  if ($watch.present | any {|path| not ($path | path exists) }) { return false }
  if ($watch.absent | any {|path| $path | path exists }) { return false }
  let file = $watch.file?
  if $file == null { return true }
  if not (__cudaenv_is $file file) { return false }
  (try { open --raw $file | decode utf-8 } catch { null }) == $watch.text
}

def --env __cudaenv_look [] {
  let state = ($env.__cudaenv?.watch?.state? | default "...")
  let answer = (try { ^@PROGRAM@ hook nushell $state | from json } catch { null })
  if $answer == null {
    # It has said why. In another folder it may be otherwise.
    $env.__cudaenv = { here: (__cudaenv_here), watch: { no_file: [], present: [], absent: [], state: $state } }
    return
  }
  let set = $answer.change.set
  # nushell keeps PATH as a list.
  let lists = if "PATH" in $set { { PATH: ($set.PATH | split row ":") } } else { {} }
  load-env ($set | merge $lists)
  for name in $answer.change.unset { hide-env --ignore-errors $name }
  $env.__cudaenv = { here: (__cudaenv_here), watch: $answer.watch }
}

$env.config.hooks.pre_prompt = (
  $env.config.hooks.pre_prompt? | default [] | append {|| if not (__cudaenv_same) { __cudaenv_look } }
)
