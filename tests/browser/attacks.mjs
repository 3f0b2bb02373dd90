// Texts that want to be markup.
export const ATTACKS = [
  "<img src=x onerror=\"window.taken=1\">", "</script><script>window.taken=1</script>", "<svg onload=window.taken=1>",
  "\"><b class=planted>", "javascript:window.taken=1", "<!--<script>", "]]>", "\u2028\u2029\u0000\u202e", "{{constructor}}", "&lt;b&gt;",
  "<style>*{display:none}</style>", "' onfocus=window.taken=1 autofocus '", "__proto__",
];
