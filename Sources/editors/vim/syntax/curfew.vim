" Vim syntax of scenarios of `curfew test`. The words are those of the table of definitions; a test compares them.
if exists('b:current_syntax')
  finish
endif

syntax case match

syntax match curfewHeading /\%(\\\n\)\@<!\_^\s*\%(scenario\|before\|after\)\ze\%(\s\|$\)/
syntax match curfewDeclaration /\%(\\\n\)\@<!\_^\s*\%(app\|set\|matrix\|time-scale\|skip\)\ze\%(\s\|$\)/
syntax match curfewAction /\%(\\\n\)\@<!\_^\s*\%(!\s\+\)\?\%(launch\|home\|open\|sleep\|interrupt\|dismiss\|quit\|reclaim\|kill-supervisor\|wake\|post\|warn\|pressure\|advance\|do\|send\|key\)\ze\%(\s\|$\)/
syntax match curfewLook /\%(\\\n\)\@<!\_^\s*\%(!\s\+\)\?\%(await\|expect\)\ze\%(\s\|$\)/ nextgroup=curfewCondition skipwhite
syntax match curfewCondition /\%(state\|event\|events\|task\|output\|silence\|exit\|killed\|pid\|file\|remaining\|memory\|cpu\|processes\)\ze\%(\s\|$\)/ contained
syntax match curfewKeyword /\s\zs\%(within\|as\|unless\|contains\|exists\|absent\|ended\|changed\|same\)\ze\%(\s\|$\)/
syntax match curfewOperator /\s\zs\%(<=\?\|>=\?\|=\|&\|--\)\ze\%(\s\|$\)/
syntax match curfewNumber /\s\zs\d\+\%(\.\d\+\)\?\%([a-zA-Z]\+\d*\)*\ze\%(\s\|$\)/
syntax match curfewEvent /\<\%(didFinishLaunching\|didBecomeActive\|willResignActive\|didEnterBackground\|willEnterForeground\|backgroundTaskWillExpire\|didReceiveMemoryWarning\|willTerminate\)\>/
syntax match curfewEscape /\\./
syntax match curfewContinuation /\\$/
syntax match curfewVariable /\$\h\w*\|\${\h\w*}/
syntax region curfewString start=/'/ end=/'/ oneline
syntax region curfewString start=/"/ skip=/\\./ end=/"/ contains=curfewVariable,curfewContinuation
syntax match curfewComment /\%(^\|\s\)\zs#.*$/ contains=@Spell

highlight default link curfewHeading PreProc
highlight default link curfewDeclaration Type
highlight default link curfewAction Statement
highlight default link curfewLook Conditional
highlight default link curfewCondition Function
highlight default link curfewKeyword Keyword
highlight default link curfewOperator Operator
highlight default link curfewNumber Number
highlight default link curfewEvent Constant
highlight default link curfewEscape SpecialChar
highlight default link curfewContinuation SpecialChar
highlight default link curfewVariable Identifier
highlight default link curfewString String
highlight default link curfewComment Comment

let b:current_syntax = 'curfew'
