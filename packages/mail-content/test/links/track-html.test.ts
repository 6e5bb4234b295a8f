import fc from 'fast-check'
import { type DefaultTreeAdapterMap, parse } from 'parse5'
import { describe, expect, it } from 'vitest'
import { trackHtml } from '../../src/links/track-html.ts'

const PIXEL = '<img src="P" width="1" height="1" alt="" style="display:block;border:0">'
const track = (html: string) => trackHtml(html, { linkTo: (address, link) => `[${link} ${address}]`, pixel: 'P' })
/** Tracks the html and leaves out the pixel. */
const links = (html: string) => track(html).replace(PIXEL, '')

describe('a link', () => {
  it.each([
    ['<a href="https://x.example/1">a</a>', '<a href="[0 https://x.example/1]">a</a>'],
    ["<A class=b HREF = 'http://x.example' >a</A>", "<A class=b HREF = '[0 http://x.example]' >a</A>"],
    ['<a href=https://x.example/1>a</a>', '<a href=[0 https://x.example/1]>a</a>'],
    ['<a\nhref="HTTPS://x.example"\n>', '<a\nhref="[0 HTTPS://x.example]"\n>'],
    ['<a href="  https://x.example ">', '<a href="[0 https://x.example]">'],
    ['<a/href="https://x.example"/>', '<a/href="[0 https://x.example]"/>'],
    ['<area href="https://x.example">', '<area href="[0 https://x.example]">'],
    ['<a href="https://x.example/?a=1&amp;b=2">', '<a href="[0 https://x.example/?a=1&b=2]">'],
    ['<a href="https://x.example/?a=1&b=2&copy=3">', '<a href="[0 https://x.example/?a=1&b=2&copy=3]">'],
    ['<a href="https://x.example/?q=&#65;&#x42;&quot;">', '<a href="[0 https://x.example/?q=AB"]">'],
    ['<a href="https://x.example/מזל">', '<a href="[0 https://x.example/מזל]">'],
    ['<a href="https://x.example/#top">', '<a href="[0 https://x.example/#top]">'],
    ['<a title="a > b" href="https://x.example">', '<a title="a > b" href="[0 https://x.example]">'],
    ['<a href="https://x.example/1" href="https://x.example/2">', '<a href="[0 https://x.example/1]" href="https://x.example/2">'],
    ['<a href="https://x.example"><a href="https://y.example">', '<a href="[0 https://x.example]"><a href="[1 https://y.example]">'],
    ['<svg><a href="https://x.example">', '<svg><a href="[0 https://x.example]">'],
    ['<svg><style><a href="https://x.example">', '<svg><style><a href="[0 https://x.example]">'],
    ['<![CDATA[><a href="https://x.example">]]>', '<![CDATA[><a href="[0 https://x.example]">]]>'],
    ['</p title=">" ><a href="https://x.example">', '</p title=">" ><a href="[0 https://x.example]">'],
    ['<a href = https://x.example/a"b>', '<a href = [0 https://x.example/a"b]>'],
    ['<a\0 a href="https://x.example"><a href="https://x.example">', '<a\0 a href="https://x.example"><a href="[0 https://x.example]">'],
  ])('%s is tracked', (html, tracked) => {
    expect(links(html)).toBe(tracked)
  })

  it.each([
    '<a href="mailto:ada@example.com">',
    '<a href="tel:+33612345678">',
    '<a href="sms:+33612345678">',
    '<a href="#top">',
    '<a href="/relative">',
    '<a href="//x.example/">',
    '<a href="javascript:alert(1)">',
    '<a href="https:x.example">',
    '<a href="https://">',
    '<a href="https:///x">',
    '<a href="">',
    '<a href>',
    '<a href="https://x.example/a b">',
    '<a href="https://x.ex\nample/">',
    '<a href="https://x.example/&copy;">',
    '<a href="https://x.example/?a&copy">',
    '<a href="https://x.example/&#10;">',
    '<a href="https://x.example/&#x1F389;">',
    '<a href="https://x.example/&#65">',
    '<a href="https://[bad/">',
    '<a href="{{link}}">',
    `<a href="https://x.example/${'a'.repeat(2_000)}">`,
    '<a data-href="https://x.example">',
    '<link href="https://x.example">',
    '<base href="https://x.example">',
    '<img src="https://x.example/a.png">',
    '<form action="https://x.example">',
    '<abbr href="https://x.example">',
    '</a href="https://x.example">',
    '<!-- <a href="https://x.example"> -->',
    '<!--[if mso]><a href="https://x.example"><![endif]-->',
    '<!doctype html "<a href="https://x.example">',
    '<? <a href="https://x.example">',
    '<script>"<a href=\'https://x.example\'>"</script>',
    '<style><a href="https://x.example"></style>',
    '<title><a href="https://x.example"></title>',
    '<textarea><a href="https://x.example"></textarea>',
    '<xmp><a href="https://x.example"></xmp>',
    '<iframe><a href="https://x.example"></iframe>',
    '<noembed><a href="https://x.example"></noembed>',
    '<noframes><a href="https://x.example"></noframes>',
    '<plaintext><a href="https://x.example">',
    '<svg><![CDATA[><a href="https://x.example">]]></svg>',
    '</p title="><a href=\'https://x.example\'>">',
    '<a\0 href="https://x.example">',
    '<a href="https://x.example/\0">',
    '<a href="https&#x3A;//x.example">',
    '<a href="https&colon;//x.example">',
    '<a href="java\tscript:alert(1)">',
    '<a href="&#106;avascript:https://x.example">',
    '<a href="\x01https://x.example">',
    '<a href="mailto:a@x.example" href="https://x.example">',
    '< a href="https://x.example">',
    '<a href="https://x.example',
    'https://x.example',
    '&lt;a href="https://x.example"&gt;',
  ])('%s stays as it is', (html) => {
    expect(links(html)).toBe(html)
  })

  it('after a comment, a script or a title is one again', () => {
    const link = '<a href="https://x.example">'
    for (const before of [
      '<!-- -->',
      '<!-->',
      '<!--->',
      '<!-- --!>',
      '<script></script >',
      '<STYLE>a</style>',
      '<!x>',
      '</ x>',
      '<?x>',
      '</>',
    ])
      expect(links(before + link)).toBe(`${before}<a href="[0 https://x.example]">`)
  })

  it('beyond the thousandth stays as it is', () => {
    const html = '<a href="https://x.example">'.repeat(1_001)
    expect(links(html).match(/\[\d+ /g)).toHaveLength(1_000)
  })

  it('that is not to be tracked stays as it is, and is counted', () => {
    const html = '<a href="https://x.example/keep"><a href="https://x.example">'
    const tracked = trackHtml(html, { linkTo: (address, link) => (address.endsWith('keep') ? null : `${link}`), pixel: 'P' })
    expect(tracked).toBe(`<a href="https://x.example/keep"><a href="1">${PIXEL}`)
  })
})

describe('the pixel', () => {
  it.each([
    ['<html><body>Hi</body></html>', `<html><body>Hi${PIXEL}</body></html>`],
    ['<BODY>Hi</BODY >', `<BODY>Hi${PIXEL}</BODY >`],
    ['<p>Hi</p>', `<p>Hi</p>${PIXEL}`],
    ['<!-- </body> --> Hi', `<!-- </body> --> Hi${PIXEL}`],
    ['a</body>b</body>c', `a</body>b${PIXEL}</body>c`],
  ])('of %s is at the end of the body', (html, tracked) => {
    expect(track(html)).toBe(tracked)
  })

  it.each(['Hi<a href="', 'Hi<b', 'Hi</b ', 'Hi<br/', 'Hi</', 'Hi<!-- ', '<title>Hi', '<textarea>Hi', '<xmp>Hi', '<plaintext></body>'])(
    'is missing where the mail ends inside a tag, a comment or an element that holds text: %s',
    (html) => {
      expect(track(html)).toBe(html)
    },
  )

  it('is in front of a link behind the body', () => {
    expect(track('</body><a href="https://x.example">')).toBe(`${PIXEL}</body><a href="[0 https://x.example]">`)
  })
})

type Node = DefaultTreeAdapterMap['node']

/** All that parse5 reads in the html, in order: elements, attributes, texts and comments; the links of anchors and areas apart. */
const readByOther = (html: string) => {
  const all: string[] = []
  const links: string[] = []
  const visit = (node: Node): void => {
    all.push(node.nodeName)
    if ('value' in node) all.push(node.value)
    if ('data' in node) all.push(node.data)
    for (const { name, value } of 'attrs' in node ? node.attrs : []) {
      const isLink = name === 'href' && (node.nodeName === 'a' || node.nodeName === 'area')
      ;(isLink ? links : all).push(...(isLink ? [value] : [name, value]))
    }
    if ('childNodes' in node) node.childNodes.forEach(visit)
  }
  visit(parse(html, { scriptingEnabled: false }))
  return { all, links }
}

/** Without the pixel, wherever it is. */
const withoutPixel = (html: string): string => html.replace(PIXEL, '')

describe('whatever the html,', () => {
  const piece = fc.constantFrom(
    '<a ',
    '<a',
    'href=',
    'HREF = ',
    '"',
    "'",
    'https://x.example/',
    'https://y.example/?a=1&amp;b=2',
    'mailto:a@x.example',
    '>',
    '/',
    '=',
    ' ',
    '\n',
    '</a>',
    '<p>',
    '<b title="',
    'text',
    '<!--',
    '-->',
    '</body>',
    '<style>',
    '</style>',
    '<title>',
    '</title>',
    '<textarea>',
    '</textarea>',
    '<xmp>',
    '</xmp>',
    '<plaintext>',
    '<![CDATA[',
    ']]>',
    '</b ',
    '\0',
    'javascript:\t',
    '&#x3A;',
    '<',
    '&',
    '&amp;',
  )
  const inDrawing = fc.constantFrom(
    ...[
      '<svg>',
      '<math>',
      '<g>',
      '<g/>',
      '<style>',
      '<a ',
      'href=',
      '"',
      'https://x.example/',
      '>',
      'text',
      '<![CDATA[',
      ']]>',
      '<!--',
      '-->',
      ' ',
    ],
  )
  const joined = (pieces: fc.Arbitrary<string>) => fc.array(pieces, { maxLength: 40 }).map((parts) => parts.join(''))
  const [html, drawing] = [joined(piece), joined(inDrawing)]

  it.each([
    ['mails', html],
    ['drawings', drawing],
  ])('another parser reads all as before, but for the links that are tracked, in %s', (_, any) => {
    fc.assert(
      fc.property(any, (text) => {
        const before = readByOther(text)
        const after = readByOther(withoutPixel(trackHtml(text, { linkTo: () => 'tracked', pixel: 'P' })))
        expect(after.all).toEqual(before.all)
        expect(after.links).toHaveLength(before.links.length)
        after.links.forEach((href, n) => {
          if (href !== before.links[n]) expect([href, before.links[n]]).toEqual(['tracked', expect.stringMatching(/^\s*https?:\/\//i)])
          else if (/^https?:\/\/[xy]\.example\/(\?a=1&b=2)?$/.test(href)) expect.fail(`${href} was not tracked in ${text}`)
        })
      }),
      { numRuns: 3_000 },
    )
  })

  it('the pixel is never a text, a comment or an attribute', () => {
    fc.assert(
      fc.property(fc.oneof(html, drawing), (text) => {
        const tracked = trackHtml(text, { linkTo: () => null, pixel: 'P' })
        const pixels = ({ all }: ReturnType<typeof readByOther>) => all.filter((read) => read.includes('width="1"') || read === 'P')
        expect(pixels(readByOther(tracked))).toEqual(tracked === text ? [] : ['P'])
      }),
      { numRuns: 2_000 },
    )
  })

  it('nothing but links changes, and nothing throws', () => {
    fc.assert(
      fc.property(fc.oneof(html, fc.string()), (any) => {
        const tracked = trackHtml(any, { linkTo: () => '', pixel: 'P' })
        expect(withoutPixel(tracked).length).toBeLessThanOrEqual(any.length)
        expect(trackHtml(any, { linkTo: () => null, pixel: 'P' }).replace(PIXEL, '')).toBe(any)
      }),
    )
  })

  it('it is read once, not once for each place where it could end', () => {
    for (const odd of [
      '<a href="',
      '<script',
      '<script>',
      '<!--',
      '<a ',
      '<',
      '</',
      '<a href=https://x.example ',
      '<a href="&amp;',
      '<title></titl',
      '<!-- -->',
      '<!-- -',
      '<![CDATA[',
      '<![CDATA[>',
      '<svg><![CDATA[',
      '<svg>',
      '<svg><title>',
      '</title>',
      '<b>',
      '</b ',
      '</b x="',
      '<plaintext>',
    ])
      expect(track(odd.repeat(50_000)).length).toBeGreaterThanOrEqual(odd.length * 50_000)
  })
})
