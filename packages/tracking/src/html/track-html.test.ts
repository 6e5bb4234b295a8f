import fc from 'fast-check'
import { Parser } from 'htmlparser2'
import { describe, expect, it } from 'vitest'
import { trackHtml } from './track-html.ts'

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

  it('is missing where the mail ends inside a tag', () => {
    expect(track('Hi<a href="')).toBe('Hi<a href="')
  })

  it('is in front of a link behind the body', () => {
    expect(track('</body><a href="https://x.example">')).toBe(`${PIXEL}</body><a href="[0 https://x.example]">`)
  })
})

/** The links that another library sees: it keeps whole tags only, and the first `href` of each. */
const linksOfOther = (html: string): readonly string[] => {
  const found: string[] = []
  const parser = new Parser({
    onopentag: (name, { href }) => {
      if ((name === 'a' || name === 'area') && href !== undefined) found.push(href)
    },
  })
  parser.end(html)
  return found
}

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
    '<',
    '&',
    '&amp;',
  )
  const html = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(''))

  it('another library finds only links that were tracked, or that must not be', () => {
    fc.assert(
      fc.property(html, (any) => {
        const tracked = trackHtml(any, { linkTo: () => 'tracked', pixel: 'P' })
        const before = linksOfOther(any)
        const after = linksOfOther(tracked)
        expect(after).toHaveLength(before.length)
        after.forEach((href, n) => {
          if (href !== before[n]) expect([href, before[n]]).toEqual(['tracked', expect.stringMatching(/^\s*https?:\/\//i)])
          else if (/^https?:\/\/[xy]\.example\/(\?a=1&b=2)?$/.test(href)) expect.fail(`${href} was not tracked in ${any}`)
        })
      }),
      { numRuns: 2_000 },
    )
  })

  it('nothing but links changes, and nothing throws', () => {
    fc.assert(
      fc.property(fc.oneof(html, fc.string()), (any) => {
        const tracked = trackHtml(any, { linkTo: () => '', pixel: 'P' })
        expect(tracked.replace(PIXEL, '').length).toBeLessThanOrEqual(any.length)
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
    ])
      expect(track(odd.repeat(50_000)).length).toBeGreaterThanOrEqual(odd.length * 50_000)
  })
})
