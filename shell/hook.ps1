# Before each prompt: nothing while nothing changed, which __cudaenv_same finds out without a
# process; else the program says what to do and what to watch, as JSON.
$global:__cudaenv_program = @PROGRAM@
$global:__cudaenv_state = '...'
$global:__cudaenv_watch = $null

function global:__cudaenv_here {
  @($PWD.ProviderPath, $env:CUDAENV_ACTIVE, $env:CUDAENV_CHOSEN_BY, $env:CUDAENV_ROOT,
    $env:CUDAENV_CEILING, $env:PATH) -join ':'
}

function global:__cudaenv_path([string] $path) {
  [IO.Path]::Combine($PWD.ProviderPath, $path)
}

function global:__cudaenv_same {
  $watch = $global:__cudaenv_watch
  if ($null -eq $watch -or $global:__cudaenv_before -cne (__cudaenv_here)) { return $false }
  foreach ($path in $watch.no_file) { if ([IO.File]::Exists((__cudaenv_path $path))) { return $false } }
  foreach ($path in $watch.present) { if (-not [IO.Directory]::Exists($path)) { return $false } }
  foreach ($path in $watch.absent) { if ([IO.Directory]::Exists($path)) { return $false } }
  if ($null -eq $watch.file) { return $true }
  try { $bytes = [IO.File]::ReadAllBytes((__cudaenv_path $watch.file)) } catch { return $false }
  [Text.Encoding]::UTF8.GetString($bytes) -ceq $watch.text
}

function global:__cudaenv_look {
  $answer = & $global:__cudaenv_program hook powershell $global:__cudaenv_state | ConvertFrom-Json
  if ($null -eq $answer) {
    # It has said why. In another folder it may be otherwise.
    $global:__cudaenv_watch = [pscustomobject]@{ no_file = @(); present = @(); absent = @() }
    $global:__cudaenv_before = __cudaenv_here
    return
  }
  foreach ($entry in $answer.change.set.PSObject.Properties) {
    [Environment]::SetEnvironmentVariable($entry.Name, $entry.Value)
  }
  foreach ($name in $answer.change.unset) { [Environment]::SetEnvironmentVariable($name, $null) }
  $global:__cudaenv_watch = $answer.watch
  $global:__cudaenv_state = $answer.watch.state
  $global:__cudaenv_before = __cudaenv_here
}

# Around the prompt that is there, once however often this is read.
if (-not (Test-Path Function:__cudaenv_prompt_before)) {
  Copy-Item Function:prompt Function:global:__cudaenv_prompt_before
  function global:prompt {
    $code = $global:LASTEXITCODE
    if (-not (__cudaenv_same)) { __cudaenv_look }
    $global:LASTEXITCODE = $code
    __cudaenv_prompt_before
  }
}
