function __cudaenv_complete
    set --local words (commandline --cut-at-cursor --tokenize --current-process) \
        (commandline --cut-at-cursor --current-token)
    @PROGRAM@ complete -- $words[2..] 2>/dev/null
end
complete --command cudaenv --keep-order --no-files --arguments '(__cudaenv_complete)'
