import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { textOfHtml } from '../../src/html/text-of-html.ts'

describe('the text of a html mail', () => {
  test.each([
    ['paragraphs stand apart', '<p>One</p><p>Two</p>', 'One\n\nTwo'],
    ['lines break where html breaks them', 'One<br>Two<div>Three</div>Four', 'One\nTwo\nThree\nFour'],
    ['white space is one space', '<p>  a \n\t b&nbsp;c </p>', 'a b c'],
    ['a link keeps its address', '<a href="https://x.example/1">See it</a>', 'See it (https://x.example/1)'],
    ['a link that shows its address shows it once', "<a href='https://x.example'>https://x.example</a>", 'https://x.example'],
    [
      'a tag ends where it ends, not inside a quoted value',
      '<a title="a > b" href=https://x.example/1>See it</a>',
      'See it (https://x.example/1)',
    ],
    ['a text field shows its text', '<textarea>One <b></textarea>', 'One <b>'],
    [
      'a frame shows what it has for programs without frames',
      '<iframe src="https://x.example/v"><p>See <a href="https://x.example/1">it</a></p></iframe><p>Bye',
      'See it (https://x.example/1)\n\nBye',
    ],
    ['a mail link is its address', '<a href="mailto:a@x.example">a@x.example</a>', 'a@x.example'],
    ['a script link is only its label', '<a href="javascript:alert(1)">Go</a>', 'Go'],
    ['list items have dashes', '<ul><li>One</li><li>Two</li></ul>', '- One\n- Two'],
    ['what a browser does not show is left out', '<head><title>t</title></head><style>p{}</style><script>x()</script><!-- c -->Hi', 'Hi'],
    ['entities are what they stand for', 'a &amp; b &lt;c&gt; &#233; &#x1F389; &copy;', 'a & b <c> é 🎉 ©'],
    ['an unknown entity stays', '&nosuch; &', '&nosuch; &'],
    ['a less-than sign that opens no tag stays', '1 < 2', '1 < 2'],
    ['an impossible code point cannot be smuggled in', '&#xD800;&#0;', '\ufffd\ufffd'],
    ['an unclosed comment hides the rest, as in a browser', 'Hi<!-- x', 'Hi'],
    ['a title of a drawing is not seen', '<svg><title>a</title><text>b</text></svg>c', 'bc'],
    ['a CDATA section that browsers take for a comment', 'a<![CDATA[b>c]]>', 'ac]]>'],
    ['what never ends is text', '<plaintext>a</plaintext><b>', 'a</plaintext><b>'],
    ['an end tag with a quoted bracket', '<b>a</b title=">">c', 'ac'],
  ])('%s', (_, html, text) => {
    expect(textOfHtml(html)).toBe(text)
  })
})

/** An email as programs build one: hidden line, layout tables, buttons for Outlook and for others. */
const NEWSLETTER = `<!doctype html><html><head><title>t</title><style>.pre{display:none!important}@media(max-width:600px){.all{display:none}}</style></head>
<body style="margin:0"><div style="display:none;font-size:1px;max-height:0;mso-hide:all">Peek &zwnj;&nbsp;&zwnj;&nbsp;</div>
<table role="presentation"><tr><td style="font-size:0px;padding:0"><table><tr><td class="all" style="font-size:13px">
<h1>Caf&eacute; &amp; Th&eacute;</h1><p>Bonjour&nbsp;!<br><br>Une ligne</p></td></tr></table>
<!--[if mso]><v:roundrect href="https://x.example/shop"><center>Outlook</center></v:roundrect><![endif]-->
<a href="https://x.example/shop" style="mso-hide:all;font-size:13px">Acheter</a></td></tr>
<tr><td><a href="https://x.example/f"><img src="f.png" width="24" alt="Facebook"></a> <img src="o.gif" width="1" height="1" alt="dot"></td></tr></table></body></html>`

describe('what a reader sees is the text, and nothing else', () => {
  test.each([
    ['an image is what its alt says', '<img src="a.png" alt="Winter sale &ndash; 50%">', 'Winter sale – 50%'],
    ['an image with a link has both', '<a href="https://x.example/1"><img alt="Shop"></a>', 'Shop (https://x.example/1)'],
    ['an image without a word shows its link', '<a href="https://x.example/1"><img alt=""></a>', 'https://x.example/1'],
    [
      'a map of an image has its areas',
      '<map><area href="https://x.example/1" alt="Shop"><area alt="no link"></map>',
      'Shop (https://x.example/1) no link',
    ],
    ['an image beside a text stands apart', 'a<img alt="b">c', 'a b c'],
    ['a picture of one pixel is not seen', 'a<img alt="dot" width="1" height="1">', 'a'],
    ['two breaks are an empty line', 'One<br><br>Two', 'One\n\nTwo'],
    ['a break in a block of its own is an empty line', '<div>One</div><div><br></div><div>Two</div>', 'One\n\nTwo'],
    ['a break at the end of a block is none', '<div>One<br></div><div>Two</div>', 'One\nTwo'],
    ['breaks without end are two empty lines', `One${'<br>'.repeat(50)}Two`, 'One\n\n\nTwo'],
    ['numbered items have their numbers', '<ol start="3"><li>a</li><li value="9">b</li><li>c</li></ol>', '3. a\n9. b\n10. c'],
    ['lists in lists are set in', '<ul><li>a<ol><li>b<li>c</ol><li>d</ul>', '- a\n  1. b\n  2. c\n- d'],
    ['an item with a paragraph has its dash beside it', '<ul><li><p>a</p></li><li></li><li><p>b</p></li></ul>', '- a\n\n- b'],
    ['cells stand apart, rows are lines', '<table><tr><td>a</td><td>b</td></tr><tr><th>c<td>d</table>', 'a b\nc d'],
    ['preformatted lines stay', '<pre>a\n  b &lt;c&gt;\n\nd</pre>e', 'a\n  b <c>\n\nd\n\ne'],
    [
      'right to left stays as it is read',
      '<p dir="rtl">שלום&rlm; <a href="https://x.example/ש">לחנות</a>!</p>',
      'שלום\u200f לחנות (https://x.example/%D7%A9)!',
    ],
    ['letters that join words stay', 'می&zwnj;خواهم 👨\u200d👩\u200d👧', 'می\u200cخواهم 👨\u200d👩\u200d👧'],
    ['filling and soft hyphens go', 'a&zwnj;&nbsp;&#847;&zwnj; &#8199;&#65279;b co&shy;op&#8203;&#8203;x', 'a b coopx'],
    ['an entity without its semicolon is one where browsers read one', '&copy 2026 &amp &notit; &lt3', '© 2026 & ¬it; <3'],
    ['a number of an old code page is its letter', '&#150;&#x80;', '–€'],
    [
      'an address keeps a parameter that looks like an entity',
      '<a href="https://x.example/?a=1&copy=2&amp;b=3">x</a>',
      'x (https://x.example/?a=1&copy=2&b=3)',
    ],
    ['an address that shows itself differently is shown once', '<a href="https://www.x.example/">x.example</a>', 'x.example'],
    [
      'a telephone and a mailbox are addresses',
      '<a href="tel:+97231234567">Call</a> <a href="mailto:a@x.example?subject=Hi">Write</a>',
      'Call (+97231234567) Write (a@x.example)',
    ],
    [
      'a comment for Outlook is not seen, what is for others is',
      'a<!--[if mso]>b<![endif]--><!--[if !mso]><!-->c<!--<![endif]--><![if !mso]>d<![endif]>',
      'acd',
    ],
    [
      'a newsletter',
      NEWSLETTER,
      'Café & Thé\n\nBonjour !\n\nUne ligne\n\nAcheter (https://x.example/shop)\nFacebook (https://x.example/f)',
    ],
  ])('%s', (_, html, text) => {
    expect(textOfHtml(html)).toBe(text)
  })

  test.each([
    'style="display:none"',
    'style="DISPLAY : none !important"',
    'style="color:red;display:none;color:blue"',
    "style='max-height:0px;overflow:hidden'",
    'style="max-height:0"',
    'style="height:0;overflow:hidden"',
    'style="mso-hide:all"',
    'style="font-size:0"',
    'style="font-size:1px;line-height:1px;color:#fff"',
    'style="visibility:hidden"',
    'style="visibility&#58;collapse"',
    'style="opacity:0.0"',
    'hidden',
    'hidden=""',
    'HIDDEN style="display:block"',
    'class="a pre b"',
    'id="pre"',
  ])('a line that is hidden by %s is left out, with what is inside', (how) => {
    const styles = '<style>/* .x{} */ p, .pre , #pre { color:red; display:none } @media print { .pre { display:block } }</style>'
    for (const name of ['div', 'span', 'td', 'center', 'font'])
      expect(
        textOfHtml(`${styles}a <${name} ${how}>b<div>c<br><b>d</div> <img alt="e" style="display:none"> f</${name}> g`).replace(
          /\s+/g,
          ' ',
        ),
      ).toBe('a g')
  })

  test.each([
    'style="display:block"',
    'style="font-size:10px"',
    'style="font-size:0.9em"',
    'style="line-height:0"',
    'style="min-height:0;max-height:none"',
    'style="opacity:0.5"',
    'style="overflow:hidden;height:10px"',
    'style="display:none;display:block"',
    'style="backface-visibility:hidden"',
    'style="background:url(display:none)x"',
    'data-hidden="1"',
    'class="nopre"',
  ])('one with %s is seen', (how) => {
    expect(textOfHtml(`<style>.pre{display:none}</style><div ${how}>b</div>`)).toBe('b')
  })

  test.each([
    [
      'letters without a size, where one inside has a size',
      '<td style="font-size:0">a<p style="font-size:14px">b</p><img alt="c"></td>',
      'b\n\nc',
    ],
    ['what is not painted, where something inside is', '<div style="visibility:hidden">a<b style="visibility:visible">b</b></div>', 'b'],
    ['a paragraph that is ended by the next one', '<p hidden>a<p>b', 'b'],
    ['cells and rows that are ended by the next ones', '<table><tr><td hidden>a<td>b<tr hidden><td>c<tr><td>d</table>', 'b\nd'],
    ['items that are ended by the next ones', '<ul><li hidden>a<ul><li>b</ul><li>c</ul>', '- c'],
    ['an element whose parent ends', '<div><span hidden>a</div>b', 'b'],
    ['an end tag of something that is not open', '<div hidden>a</span></p></td>b</div>c', 'c'],
    ['an end tag in a cell of something outside', '<div hidden><table><tr><td></div>a</td></tr></table></div>b', 'b'],
    ['an inline end tag inside a block', '<b><div hidden>a</b>b</div>c', 'c'],
    [
      'rows inside a cell whose letters have no size',
      '<td style="font-size:0"><table><tr><td style="font-size:9px">a</td></tr><tr><td style="font-size:9px">b</td></tr></table>',
      'a\nb',
    ],
    ['a paragraph that is ended by something hidden', '<p>a<div hidden>b</div>c', 'a\n\nc'],
    ['an image without an end', '<img hidden alt="a">b<input hidden>c', 'bc'],
    ['a head that is never ended', '<head><title>t</title><style>p{}</style><body>b', 'b'],
  ])('%s', (_, html, text) => {
    expect(textOfHtml(html).trim()).toBe(text)
  })

  test.each([
    ['Eacute', 'É'],
    ['euro', '€'],
    ['hearts', '♥'],
    ['rightarrow', '→'],
    ['NotEqualTilde', '≂\u0338'],
    ['CounterClockwiseContourIntegral', '∳'],
    ['fjlig', 'fj'],
    ['aleph', 'ℵ'],
    ['Zscr', '𝒵'],
    ['NewLine', ' '],
  ])('&%s; is %j', (name, text) => {
    expect(textOfHtml(`a&${name};b`)).toBe(`a${text}b`)
  })
})

describe('hostile html', () => {
  test.each([
    ['<a href="', ''],
    ['<script', ''],
    ['<a ', ''],
    ['<iframe>', ''],
    ['<!--', ''],
    ['<!-- -->', ''],
    ['<style>/*', ''],
    ['<style>@a{', ''],
    ['<', '<'.repeat(100_000)],
    ['&', '&'.repeat(100_000)],
    ['&zwnj;', ''],
    ['<div>', ''],
    ['<table><tr><td><ul><li><b>', ''],
    ['<div hidden><b>', ''],
    ['</div></td></b>', ''],
    ['<div style="display display:">', ''],
    ['<svg><title>', ''],
    ['<![CDATA[>', ''],
    ['</b x=', ''],
  ])('a hundred thousand times %s is read once, not once for every place it could end', (piece, text) => {
    expect(textOfHtml(piece.repeat(100_000))).toBe(text)
  })

  test('what is behind a hundred thousand open elements is read', () => {
    expect(textOfHtml(`${'<div><b>'.repeat(50_000)}deep${'</b></div>'.repeat(50_000)}<p>end`)).toBe('deep\n\nend')
    expect(textOfHtml(`${'<ul><li>'.repeat(50_000)}deep`)).toBe('            - deep')
    expect(textOfHtml('<a href="https://x.example">a</a>'.repeat(10_000))).toHaveLength(10_000 * 'a (https://x.example)'.length)
  })

  const pieces = [
    '<p>',
    '</p>',
    '<div hidden>',
    '</div>',
    '<b>',
    '</b>',
    '<td>',
    '<table>',
    '</table>',
    '<tr>',
    '<li>',
    '<ul>',
    '</ul>',
    '<ol>',
    '<pre>',
    '</pre>',
    '<br>',
    '<a href="https://x.example">',
    '</a>',
    '<img alt="i">',
    '<!--',
    '-->',
    '<style>.a{display:none}',
    '</style>',
    '<i class="a">',
    '&eacute',
    '\n ',
    'word',
    '&zwnj;',
    '<iframe>',
    '</iframe>',
  ]
  test('of any shape gives lines without blanks at their ends, and never one that is not a text', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 40 }), (parts) => {
        const text = textOfHtml(parts.join(''))
        expect(text).not.toMatch(/\n{4}|[\r\0]/)
        expect(text.startsWith('\n') || text.endsWith('\n')).toBe(false)
      }),
      { numRuns: 2_000 },
    )
  })
})
