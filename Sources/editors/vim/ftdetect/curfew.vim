" Scenarios of `curfew test`.
autocmd BufNewFile,BufRead *.curfew setfiletype curfew
