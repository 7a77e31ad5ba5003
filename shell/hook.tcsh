# Before each prompt: nothing while nothing changed, which $__cudaenv_check finds out without a
# process; else the program says what to do. It also writes the next $__cudaenv_check.
set __cudaenv_program=@PROGRAM@
# Backquotes in quotes would parse the path once more.
alias __cudaenv_run '$__cudaenv_program:q'
if ( ! $?__cudaenv_state ) set __cudaenv_state=...
# A variable that is not set ends even the `if` that asks for it, were it not for `eval`.
set __cudaenv_active='set __cudaenv_here=$__cudaenv_here:q/active/$CUDAENV_ACTIVE:q'
set __cudaenv_by='set __cudaenv_here=$__cudaenv_here:q/by/$CUDAENV_CHOSEN_BY:q'
set __cudaenv_root='set __cudaenv_here=$__cudaenv_here:q/root/$CUDAENV_ROOT:q'
set __cudaenv_ceiling='set __cudaenv_here=$__cudaenv_here:q/ceiling/$CUDAENV_CEILING:q'
set __cudaenv_path='set __cudaenv_here=$__cudaenv_here:q/path/$PATH:q'
set __cudaenv_locate='set __cudaenv_here=$cwd:q; if ( $?CUDAENV_ACTIVE ) eval $__cudaenv_active:q; if ( $?CUDAENV_CHOSEN_BY ) eval $__cudaenv_by:q; if ( $?CUDAENV_ROOT ) eval $__cudaenv_root:q; if ( $?CUDAENV_CEILING ) eval $__cudaenv_ceiling:q; if ( $?PATH ) eval $__cudaenv_path:q'
# Should the program fail, it says why, and in another folder it may be otherwise.
set __cudaenv_wait='if ( $__cudaenv_here:q != $__cudaenv_key:q ) eval $__cudaenv_look:q'
set __cudaenv_look='set __cudaenv_key=$__cudaenv_here:q; set __cudaenv_check=$__cudaenv_wait:q; if ( -x $__cudaenv_program:q ) eval "`__cudaenv_run hook tcsh $__cudaenv_state </dev/null`"'
set __cudaenv_check='eval $__cudaenv_look:q'
alias __cudaenv_prompt 'eval $__cudaenv_locate:q; eval $__cudaenv_check:q'
if ( $?prompt ) then
  if ( "`alias precmd`" == "" ) then
    alias precmd __cudaenv_prompt
  else if ( "`alias precmd`" !~ *__cudaenv_prompt* ) then
    set __cudaenv_before="`alias precmd`"
    alias precmd $__cudaenv_before:q'; __cudaenv_prompt'
    unset __cudaenv_before
  endif
endif
