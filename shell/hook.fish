# Before each prompt: nothing while nothing changed, which __cudaenv_same finds out without a
# process; else the program says what to do. It also writes the next __cudaenv_same.
set --global __cudaenv_program @PROGRAM@
set --query --global __cudaenv_state; or set --global __cudaenv_state ''
function __cudaenv_same
    false
end

function __cudaenv_look
    test -x "$__cudaenv_program"; or return
    command "$__cudaenv_program" hook fish "$__cudaenv_state" </dev/null | source
    set --local codes $pipestatus
    # What failed by itself has said why. In another folder it may be otherwise.
    if test $codes[1] -ne 0 -a $codes[1] -lt 128
        set --global __cudaenv_key "$PWD"
        function __cudaenv_same
            test "$PWD" = "$__cudaenv_key"
        end
    end
end

if status is-interactive
    function __cudaenv_prompt --on-event fish_prompt
        __cudaenv_same; or __cudaenv_look
    end
end
