import { mergeFields, mergeValues, renderAddress } from '@tidings/domain'
import fc from 'fast-check'
import { type DefaultTreeAdapterMap, parseFragment } from 'parse5'
import { describe, expect, it } from 'vitest'
import { htmlMergeParts } from '../../src/merge/html-merge-tags.ts'
import { renderEmail, renderHtml } from '../../src/merge/render-email.ts'

const room = { maxLength: 10_000 }
const plenty = { maxLength: 1_000_000 }
const html = (template: string, fields: Readonly<Record<string, string>>) => renderHtml(template, mergeValues(null, fields), room)

describe('a value in an address', () => {
  const values = {
    email: 'ada+news@x.example',
    code: 'A&B',
    base: 'https://shop.example',
    host: 'shop.example',
    path: 'a/b c',
    q: 'é"',
    phone: '+972501110000',
    pic: 'https://x.example/a b,c.png,',
    n: '640',
  }
  it.each([
    ['<a href="https://x.example/?email={{email}}&code={{code}}">', '<a href="https://x.example/?email=ada%2Bnews@x.example&code=A%26B">'],
    ["<a href='https://x.example/?q={{q}}'>", "<a href='https://x.example/?q=%C3%A9%22'>"],
    ['<a href=https://x.example/{{path}}>', '<a href=https://x.example/a%2Fb%20c>'],
    ['<img src="https://x.example/{{path}}.png">', '<img src="https://x.example/a%2Fb%20c.png">'],
    ['<a class="b" HREF = "https://x.example/{{code}}">', '<a class="b" HREF = "https://x.example/A%26B">'],
    ['<a href="{{base}}/a">', '<a href="https://shop.example/a">'],
    ['<a href="{{base}}">', '<a href="https://shop.example">'],
    ['<a href="{{base}}&x=1">', '<a href="https://shop.example&x=1">'],
    ['<a href="https://{{host}}/a">', '<a href="https://shop.example/a">'],
    ['<a href="https://{{email}}/a">', '<a href="https://ada%2Bnews%40x.example/a">'],
    ['<a href="mailto:{{email}}">', '<a href="mailto:ada%2Bnews@x.example">'],
    ['<a href="{{path}}x">', '<a href="a%2Fb%20cx">'],
    ['<a href="{{none|https://y.example}}">', '<a href="https://y.example">'],
    ['<a href="https://x.example/{{none|a b}}">', '<a href="https://x.example/a b">'],
    ['<!--[if mso]><a href="https://x.example/{{code}}"><![endif]-->', '<!--[if mso]><a href="https://x.example/A%26B"><![endif]-->'],
    [
      '<!--[if !mso]><!--><a href="https://x.example/{{code}}"><!--<![endif]-->',
      '<!--[if !mso]><!--><a href="https://x.example/A%26B"><!--<![endif]-->',
    ],
    ['<!---><a href="https://x.example/{{code}}">', '<!---><a href="https://x.example/A%26B">'],
    ['<!-- a --!><a href="https://x.example/{{code}}">', '<!-- a --!><a href="https://x.example/A%26B">'],
    ['<a href="tel:{{phone}}">', '<a href="tel:+972501110000">'],
    ['<a href="sms:{{phone}}?body={{code}}">', '<a href="sms:+972501110000?body=A%26B">'],
    ['<a href="https://wa.me/?phone={{phone}}">', '<a href="https://wa.me/?phone=%2B972501110000">'],
    ['<base href="{{base}}/">', '<base href="https://shop.example/">'],
    ['<img srcset="{{base}}/a.png 1x, {{base}}/b.png 2x">', '<img srcset="https://shop.example/a.png 1x, https://shop.example/b.png 2x">'],
    [
      '<img srcset="{{pic}} 1x,{{pic}} {{n}}w">',
      '<img srcset="https://x.example/a%20b,c.png%2C 1x,https://x.example/a%20b,c.png%2C 640w">',
    ],
    ['<img srcset="https://x.example/{{path}}.png 2x">', '<img srcset="https://x.example/a%2Fb%20c.png 2x">'],
    ['<img srcset={{pic}}>', '<img srcset=https://x.example/a%20b,c.png%2C>'],
    ['<a href="x"><p title="{{code}}">{{code}}</p></a>', '<a href="x"><p title="A&amp;B">A&amp;B</p></a>'],
  ])('%s', (template, result) => {
    expect(html(template, values)).toBe(result)
  })

  it('that is the whole address is escaped as an attribute, and no program', () => {
    expect(html('<a href="{{x}}">', { x: 'https://x.example/?a=1&b=2"' })).toBe('<a href="https://x.example/?a=1&amp;b=2&quot;">')
    for (const x of ['javascript:alert(1)', ' JavaScript:alert(1)', 'java\nscript:alert(1)', 'data:text/html,x', 'vbscript:x'])
      expect(html('<a href="{{x|#}}">', { x })).toBe('<a href="#">')
  })

  it('comes out of the address as it went in', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (value) => {
        fc.pre(value.trim() !== '')
        const [, address = ''] = /href="([^"]*)"/.exec(html('<a href="https://x.example/?v={{v}}&w=1">', { v: value })) ?? []
        const { searchParams } = new URL(address)
        expect([searchParams.get('v'), searchParams.get('w')]).toEqual([value, '1'])
      }),
    )
  })

  it('of a notification too', () => {
    expect(renderAddress('https://x.example/?c={{code}}', mergeValues(null, values), room)).toBe('https://x.example/?c=A%26B')
    expect(renderAddress('{{base}}/p?c={{code}}', mergeValues(null, values), room)).toBe('https://shop.example/p?c=A%26B')
  })
})

it('a value between markup is escaped, and what the author wrote is not', () => {
  expect(html('<p>{{x}}</p>{{y|<i>&amp;</i>}}', { x: `<b>&"'</b>` })).toBe('<p>&lt;b&gt;&amp;&quot;&#39;&lt;/b&gt;</p><i>&amp;</i>')
})

describe('a value in a script or a style', () => {
  const values = { x: `A"'B</script><!--\u2028\${y}`, plain: 'red' }
  it('is a string that ends neither', () => {
    const script = html('<script>f({{x}})</script>', values)
    expect(script).toMatch(/^<script>f\("[^<>"]*\\"[^<>]*"\)<\/script>$/)
    expect(JSON.parse(script.slice(10, -10))).toBe(values.x)
    expect(html('<style>a{content:{{x}}}</style>', { x: 'a"</style>' })).toBe('<style>a{content:"a\\22 \\3c /style\\3e "}</style>')
    expect(html('<script>f({{plain}})</script>', values)).toBe('<script>f("red")</script>')
  })

  it('has the quotes that its author wrote, and no others', () => {
    expect(html(`<script>f("{{plain}}", '{{plain}}')</script>`, values)).toBe(`<script>f("red", 'red')</script>`)
  })

  it('of an attribute is one in the attribute', () => {
    expect(html('<p onclick="f({{x}})">', { x: 'a"b' })).toBe('<p onclick="f(&quot;a\\&quot;b&quot;)">')
    expect(html(`<p onclick="f('to {{x}}')">`, { x: `a'b` })).toBe(`<p onclick="f('to a\\u0027b')">`)
    expect(html('<p onclick="f(&quot;{{x}}&quot;)">', { x: 'a"b' })).toBe('<p onclick="f(&quot;a\\&quot;b&quot;)">')
  })

  it('is a part of the string that its author has begun, and of no other', () => {
    const linked = (x: string): unknown => {
      const data = '{ "@type": "Order", "name": "Order {{x}}", "url": "https://x.example/o/{{x}}?a=\\"1\\"", "buyer": {{x}} }'
      return JSON.parse(html(`<script type="application/ld+json">${data}</script>`, { x }).slice(35, -9))
    }
    for (const x of ['7', 'a"b', `it's \\ </script> \u2028`, '","evil":"'])
      expect(linked(x)).toEqual({ '@type': 'Order', name: `Order ${x}`, url: `https://x.example/o/${x}?a="1"`, buyer: x })
    for (const before of [`'it is "`, '/* " */', '// "\n', '"\n', '`${"`', '/"/.test(', `"a\\"`])
      expect(html(`<script>${before}{{x}}`, { x: '1);alert(1' })).toBe(
        `<script>${before}${before === `'it is "` || before === `"a\\"` ? '1);alert(1' : '"1);alert(1"'}`,
      )
  })

  it.each([
    ['<style>a{background:url({{x}})}</style>', '<style>a{background:url(https://x.example/a%20b%29)}</style>'],
    ['<style>a{background:url( "{{x}}" )}</style>', '<style>a{background:url( "https://x.example/a%20b%29" )}</style>'],
    ['<style>a{background:url(https://y.example/{{n}}.png)}</style>', '<style>a{background:url(https://y.example/A%26B%29.png)}</style>'],
    ['<style>/* url( */ a{content:{{n}}}</style>', '<style>/* url( */ a{content:"A\\26 B)"}</style>'],
    ['<style>a{content:"Hi {{n}}!"}</style>', '<style>a{content:"Hi A\\26 B)!"}</style>'],
    ['<td style="background:url({{x}})">', '<td style="background:url(https://x.example/a%20b%29)">'],
    ['<td style="background:url(\'{{x}}\');color:{{c}}">', '<td style="background:url(\'https://x.example/a%20b%29\');color:#f00">'],
    ['<td style="background:URL(&quot;{{x}}&quot;)">', '<td style="background:URL(&quot;https://x.example/a%20b%29&quot;)">'],
    ['<td style=background:url(https://y.example/{{n}})>', '<td style=background:url(https://y.example/A%26B%29)>'],
    ['<td style="color:{{c}};width:{{w}}px">', '<td style="color:#f00;width:50px">'],
    ['<td style="{{s}}">', '<td style="color:red;font:12px &#39;A&#39;">'],
  ])('has its form in an address or a string of a style: %s', (template, result) => {
    const values = { x: 'https://x.example/a b)', n: 'A&B)', c: '#f00', w: '50', s: "color:red;font:12px 'A'" }
    expect(html(template, values)).toBe(result)
  })
})

describe('a value in an odd place', () => {
  const values = { x: 'a b"<i>', u: 'https://x.example/?a=1&b=2' }
  it.each([
    ['<a href={{u}}>', '<a href=https://x.example/?a&#61;1&amp;b&#61;2>'],
    ['<a href="/{{x}}', '<a href="/a%20b%22%3Ci%3E'],
    ['<a {{x}}>', '<a a&#32;b&quot;&lt;i&gt;>'],
    ['<{{x}}>', '<a&#32;b&quot;&lt;i&gt;>'],
    ['</p {{x}}>', '</p a&#32;b&quot;&lt;i&gt;>'],
    ['</p title="{{x}}">', '</p title="a&#32;b&quot;&lt;i&gt;">'],
    ['<!-- {{x}} -->', '<!-- a b&quot;&lt;i&gt; -->'],
    ['<!doctype {{x}}>', '<!doctype a b&quot;&lt;i&gt;>'],
    ['<![CDATA[{{x}}]]>', '<![CDATA[a b&quot;&lt;i&gt;]]>'],
    ['<textarea><a href="{{x}}"></textarea>', '<textarea><a href="a b&quot;&lt;i&gt;"></textarea>'],
    ['<plaintext><a href="/{{x}}">', '<plaintext><a href="/a b&quot;&lt;i&gt;">'],
    [
      '<!--[if mso]><a href="/{{x}}"><!--[if a]><b title={{x}}>',
      '<!--[if mso]><a href="/a%20b%22%3Ci%3E"><!--[if a]><b title=a b&quot;&lt;i&gt;>',
    ],
    [
      '<!--[if mso]><style>a{content:{{x}}}</style><![endif]-->',
      '<!--[if mso]><style>a{content:"a b\\22 \\3c i\\3e "}</style><![endif]-->',
    ],
    [
      '<svg><style>a{content:{{x}}}</style><text>{{x}}</text></svg>',
      '<svg><style>a{content:"a b\\22 \\3c i\\3e "}</style><text>a b&quot;&lt;i&gt;</text></svg>',
    ],
    ['<svg><a xlink:href="/{{x}}">', '<svg><a xlink:href="/a%20b%22%3Ci%3E">'],
    ['<a title="/{{x}}" href="/{{x}}{{x}}">', '<a title="/a b&quot;&lt;i&gt;" href="/a%20b%22%3Ci%3Ea%20b%22%3Ci%3E">'],
    ['<p title=">{{x}}">{{x}}', '<p title=">a b&quot;&lt;i&gt;">a b&quot;&lt;i&gt;'],
  ])('%s', (template, result) => {
    expect(html(template, values)).toBe(result)
  })
})

describe('whatever the value,', () => {
  it('it stays the text or the attribute where it stands, as another library reads the html', () => {
    const read = (text: string) => {
      const seen: unknown[] = []
      const visit = (node: DefaultTreeAdapterMap['node']): void => {
        if ('tagName' in node) seen.push([node.tagName, Object.fromEntries(node.attrs.map(({ name, value }) => [name, value]))])
        if (node.nodeName === '#text' && 'value' in node) seen.push(node.value)
        if ('childNodes' in node) node.childNodes.forEach(visit)
      }
      visit(parseFragment(text))
      return [seen.filter((one) => typeof one !== 'string'), seen.filter((one) => typeof one === 'string').join('')]
    }
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.constantFrom('" onload="x', '><script>', "' x='", '--><b>', 'a b', '</title><b>', '&amp;')),
        (value) => {
          fc.pre(value.trim() !== '' && !/[\0\r\f]/.test(value))
          const rendered = html('<p title="{{v}}" lang=\'{{v}}\' class={{v}}>{{v}}<!--{{v}}--><b>', { v: value })
          expect(read(rendered)).toEqual([
            [
              ['p', { title: value, lang: value, class: value }],
              ['b', {}],
            ],
            value,
          ])
        },
      ),
    )
  })
})

describe('whatever the html around it,', () => {
  const piece = fc.constantFrom(
    ...[
      '<p ',
      '<a ',
      '</a>',
      'title="',
      "lang='",
      'href="',
      'href=',
      'srcset="',
      'style="',
      "onclick='f(",
      '"',
      "'",
      '>',
      ' ',
      '=',
      'x',
      '\n',
      '&quot;',
    ],
    ...['<!--', '-->', '<!-->', '--!>', '<!--[if !mso]><!-->', '<!--<![endif]-->', '<title>', '</title>'],
    ...['<style>', '</style>', '<script>', '</script>', 'url(', ')', '/*', '*/', '//', '`', '\\', '{{v}}', '{{v}}', '{{v}}'],
  )
  const nasty = fc.constantFrom(
    '" onload=x ',
    "' onload=x ",
    '><b>',
    '--><b>',
    '--!><b>',
    '</style><b>',
    '</script><b>',
    '</title><b>',
    ') x"',
    "\\'",
    ' a,b ',
    '\n',
  )
  /** Gives the elements, each with those of its attributes that the template may have. */
  const elementsOf = (text: string): readonly unknown[] => {
    const seen: unknown[] = []
    const known = ['title', 'lang', 'href', 'srcset', 'style', 'onclick', 'onload']
    const visit = (node: DefaultTreeAdapterMap['parentNode']): void => {
      for (const child of node.childNodes)
        if ('attrs' in child) {
          const names = child.attrs.map(({ name }) => name)
          seen.push([child.tagName, known.filter((name) => names.includes(name))])
          visit(child)
        }
    }
    visit(parseFragment(text))
    return seen
  }

  it('no value adds an element or an attribute to it, as another library reads it', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), nasty, (pieces, value) => {
        const template = pieces.join('')
        expect(elementsOf(html(template, { v: `x${value}` }))).toEqual(elementsOf(template.replaceAll('{{v}}', 'x')))
      }),
      { numRuns: 5_000 },
    )
  })
})

describe('a tag that an editor has disguised', () => {
  it.each([
    ['{{&nbsp;name&nbsp;}}', 'Ada'],
    ['{{&#160;name | you}}', 'Ada'],
    ['{{\u00a0none&nbsp;|&nbsp;you&nbsp;}}', 'you'],
    ['<a href="%7B%7Blink%7D%7D">', '<a href="https://x.example">'],
    ['<a href="%7b%7b%20link%20%7d%7d">', '<a href="https://x.example">'],
    ['<a href="https://x.example/?n=%7B%7Bnone%7Cyou%7D%7D">', '<a href="https://x.example/?n=you">'],
    ['{{<b>name</b>}}', '<b>Ada</b>'],
    ['<b>{{na</b>me}}', '<b>Ada</b>'],
    ['{{<span style="color:red">name</span>|<i>you</i>}}', '<span style="color:red">Ada</span>'],
    ['{{<b>none</b>|<i>you</i>}}', '<b><i>you</i></b>'],
    ['{{<b title="a>b|c">name</b><!-- | -->}}', '<b title="a>b|c">Ada</b><!-- | -->'],
    ['{{&nbsp;<b>none</b>|&nbsp;you}}', '<b>you</b>'],
    ['&#123;&#123;name&#125;&#125;', 'Ada'],
    ['&lcub;&lcub;name&rcub;&rcub;', 'Ada'],
  ])('%s is read as it is meant', (template, result) => {
    expect(html(template, { name: 'Ada', link: 'https://x.example' })).toBe(result)
  })

  it.each(['{{name<b}}', '{{<b name}}', '{{name < 1}}', '{{<b></b>}}'])('%s is none', (template) => {
    expect(html(template, { name: 'Ada' })).toBe(template)
  })

  it('is one of the fields of its template', () => {
    expect(mergeFields(htmlMergeParts('{{a}}{{&nbsp;b&nbsp;}}<a href="%7B%7Bc%7D%7D">{{<b>d</b>}}'))).toEqual(['a', 'b', 'c', 'd'])
  })
})

it('a value of blanks alone has the fallback, and one in the plain text of a mail stays on its line', () => {
  expect(html('{{x|you}}', { x: ' \u00a0 ' })).toBe('you')
  const mail = { subject: 's', html: 'h', text: '{{x}}\n{{y|z}}', fromName: null }
  expect(renderEmail(mail, mergeValues(null, { x: 'a\r\nb', y: '\n' })).content.text).toBe('a b\nz')
})

it('blanks around a fallback are left out, however many stand inside it', () => {
  expect(html('{{a| &nbsp; b &nbsp;c&nbsp; &nbsp;}}{{a|&nbsp;}}{{a| }}{{a|&nbsp}}', {})).toBe('b &nbsp;c&nbsp')
  for (const blank of [' ', '&nbsp;', ' &nbsp;']) {
    const fallback = `b${blank.repeat(80_000)}c`
    expect(htmlMergeParts(`{{a|${blank}${fallback}${blank}}}`)).toEqual([{ key: 'a', fallback }])
  }
})

it('an address is judged by its beginning, however many values it has', () => {
  const many = 80_000
  const values = mergeValues(null, { a: 'b@' })
  const room = { maxLength: 500_000 }
  const host = `//${'b%40'.repeat(many)}`
  expect(renderHtml(`<a href="//${'{{a}}'.repeat(many)}">`, values, room) === `<a href="${host}">`).toBe(true)
  expect(renderAddress(`//${'{{a}}'.repeat(many)}`, values, room) === host).toBe(true)
  expect(renderHtml(`<a href="//x/${'y'.repeat(5_000)}{{a}}">`, values, room).slice(-5)).toBe('yb@">')
})

it('a value is looked for once among many of another form', () => {
  const fields = Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`é${n}`, n]))
  expect(renderHtml('{{ü}}'.repeat(50_000), mergeValues(null, { ...fields, 'u\u0308': 1 }), { maxLength: 500_000 })).toBe(
    '1'.repeat(50_000),
  )
})

it('html is read once, however odd it is', () => {
  for (const odd of [
    '{{<b>',
    '{{',
    '%7B%7B',
    '<a href="',
    '<!--',
    '<script>',
    '{{&nbsp;',
    '&#123;',
    '{{<',
    '<a b=',
    '{{a}}<a href=',
    '{{<b|',
    '<a b={{a}} ',
    '<!--[if a]>{{a}}',
    '<![CDATA[{{a}}',
    '</a {{a}}',
    '<svg>{{a}}',
  ])
    expect(
      htmlMergeParts(odd.repeat(50_000)).length + renderHtml(odd.repeat(50_000), mergeValues(null, { a: 'x' }), plenty).length,
    ).toBeGreaterThan(0)
})
