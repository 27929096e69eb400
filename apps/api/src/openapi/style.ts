/** The style of the page, in it: its hash is all that the page's policy lets in. */
export const style = `
body{margin:0;font:15px/1.5 system-ui,sans-serif;color:#1c2430;background:#fff;display:flex}
nav{position:sticky;top:0;height:100vh;overflow:auto;flex:0 0 15rem;padding:1rem;box-sizing:border-box;background:#f5f7f9}
nav h2{font-size:.85rem;margin:1rem 0 .2rem}nav a{display:block;font-size:.85rem;padding:.1rem 0}
main{flex:1;min-width:0;max-width:55rem;padding:1rem 2rem 6rem}
a{color:#1559a8;text-decoration:none}a:hover{text-decoration:underline}
section{border-top:1px solid #dfe4ea;padding-bottom:1rem}h4{margin:1rem 0 .3rem}
code,pre{font:13px/1.45 ui-monospace,monospace}code{overflow-wrap:anywhere}
pre{background:#f5f7f9;padding:.8rem;overflow:auto;border-radius:4px}
table{border-collapse:collapse;width:100%}td{border-bottom:1px solid #e8ecf0;padding:.3rem .6rem .3rem 0;vertical-align:top}
td b{color:#b3261e}.call b{padding:.1rem .4rem;border-radius:3px;color:#fff;background:#5a6472}
.call .get{background:#1b6e3c}.call .post{background:#1559a8}.call .put{background:#8a5a00}.call .delete{background:#b3261e}
@media(max-width:50rem){body{display:block}nav{position:static;height:auto}main{padding:1rem}}
@media(prefers-color-scheme:dark){body{color:#dfe4ea;background:#14181d}nav,pre{background:#1d232a}a{color:#7db4f0}
section,td{border-color:#2b333d}}
`;
