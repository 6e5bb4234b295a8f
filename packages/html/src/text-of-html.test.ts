import { describe, expect, test } from 'vitest'
import { textOfHtml } from './text-of-html.ts'

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
  ])('%s', (_, html, text) => {
    expect(textOfHtml(html)).toBe(text)
  })

  test.each([
    ['<a href="', ''],
    ['<script', ''],
    ['<a ', ''],
    ['<iframe>', ''],
    ['<!--', ''],
    ['<!-- -->', ''],
    ['<', '<'.repeat(100_000)],
    ['&', '&'.repeat(100_000)],
  ])('a hundred thousand times %s is read once, not once for every place it could end', (piece, text) => {
    expect(textOfHtml(piece.repeat(100_000))).toBe(text)
  })
})
