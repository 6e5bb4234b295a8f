/** Names that people and programs may give to things: each page shows them as text, whatever they say. A script of them would set `owned`. */
export const HOSTILE_NAMES = [
  '<script>globalThis.owned = 1</script>',
  '</script></title></td></table><img src=x onerror="globalThis.owned = 1">',
  `"'><svg onload='globalThis.owned = 1'>`,
  'invoice\u202egnp.exe',
  '\u2067isolate that nothing ends',
  'נועה לוי, 50% (VIP) – a@b.example',
  'x'.repeat(90),
  '{{constructor.constructor("globalThis.owned = 1")()}} &lt;b&gt;',
  'Za\u0338\u034d\u030al\u0353g\u0338o 👩‍👩‍👧‍👦',
] as const
