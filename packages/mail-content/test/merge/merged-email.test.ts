import { mergeValues, Refused } from '@tidings/domain'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { joinedEmail, textsDigest } from '../../src/merge/merged-email.ts'
import { type EmailTemplate, renderEmail } from '../../src/merge/render-email.ts'

/** Pieces of what authors write: each place of a tag (M52), disguised tags, broken ones, letters beyond the first plane. */
const html = fc
  .array(
    fc.oneof(
      fc.constantFrom('{{x}}', '{{ y | you }}', '{{custom.z|<b>z</b>}}', '{{<b>x</b>|a}}', '{{&nbsp;x&nbsp;}}', '%7B%7Bx%7D%7D', '&#123;'),
      fc.constantFrom('<a href="{{x}}">', '<a href=https://a.example/?q={{x}}>', "<p title='{{y}}'>", '<img srcset="{{x}} 1x, b 2x">'),
      fc.constantFrom(
        '<style>a{background:url({{x}})}</style>',
        '<script>a = {{x}}; b = "{{y}}"</script>',
        '<!--[if mso]>{{x}}<![endif]-->',
      ),
      fc.constantFrom('{{', '}}', '{{{', '<b', '😀', 'שלום', '\n'),
      fc.string({ unit: 'grapheme', maxLength: 12 }),
    ),
    { maxLength: 12 },
  )
  .map((pieces) => pieces.join(''))

const value = fc.oneof(
  fc.constantFrom('', ' ', '"', "'", '<b>&', 'a\r\nb', 'javascript:alert(1)', 'https://b.example/?a=1&b=2', '😀'),
  fc.string({ unit: 'grapheme', maxLength: 30 }),
)
const template: fc.Arbitrary<EmailTemplate> = fc.record({
  subject: html,
  html,
  text: fc.option(html),
  fromName: fc.option(html),
})

const rendered = (of: EmailTemplate, fields: Readonly<Record<string, string>>) => {
  try {
    return renderEmail(of, mergeValues(null, fields))
  } catch (error) {
    if (error instanceof Refused) return null
    throw error
  }
}

describe('what an event says of a mail from a template', () => {
  it('is the mail that was rendered, through JSON and from the texts alone, for any template and values', () => {
    fc.assert(
      fc.property(template, fc.record({ x: value, y: value, 'custom.z': value }), (of, fields) => {
        const made = rendered(of, fields)
        fc.pre(made !== null)
        const stored: NonNullable<typeof made>['ofTemplate'] = JSON.parse(JSON.stringify(made?.ofTemplate))
        expect(joinedEmail(stored.merged, { subject: of.subject, html: of.html, text: of.text })).toEqual(made?.content)
        expect(stored.templateDigest).toBe(textsDigest(of))
      }),
      { numRuns: 2_000 },
    )
  })

  it('holds nothing of the template but the places, and what was merged in', () => {
    const of = { subject: 'Hi {{firstName}}', html: '<p>Dear {{x|you}}, <a href="{{x}}">{{y}}</a></p>', text: 'Dear {{x}}', fromName: null }
    expect(renderEmail(of, mergeValues(null, { x: 'a b' })).ofTemplate.merged).toEqual({
      subject: 'Hi',
      html: [[0, 8], 'a b', [17, 28], 'a b', [33, 35], [40, 48]],
      text: [[0, 5], 'a b'],
    })
  })

  it('has no text where nothing is left of it', () => {
    const of = { subject: 's', html: 'h', text: ' {{x}} ', fromName: null }
    expect(renderEmail(of, mergeValues(null)).ofTemplate.merged.text).toBeNull()
  })

  it('is complete where braces were disguised: its parts are not in the template', () => {
    const of = { subject: 's', html: '<a href="%7B%7Bx%7D%7D">&lcub;</a>', text: null, fromName: null }
    const { content, ofTemplate } = renderEmail(of, mergeValues(null, { x: '/a' }))
    expect(ofTemplate.merged.html).toEqual([content.html])
  })

  it('names subject, html and text of the template, and nothing else of it', () => {
    const texts = { subject: 'é', html: 'a', text: null }
    expect(textsDigest(texts)).toBe('wdkwuemLyecT1sPeimRCo2lcpCQEGT66yUn605-vvDU')
    expect(textsDigest({ ...texts, ...{ fromName: 'Acme' } })).toBe(textsDigest(texts))
    expect(textsDigest({ ...texts, html: 'a', text: 'b' })).not.toBe(textsDigest({ ...texts, html: 'ab' }))
    expect(textsDigest({ ...texts, subject: 'e' })).not.toBe(textsDigest(texts))
  })

  it('is read anew of a template that is another object, and of the same object once', () => {
    const of = { subject: 's', html: 'a{{x}}', text: null, fromName: null }
    const spans = (one: EmailTemplate) => renderEmail(one, mergeValues(null)).ofTemplate.merged.html[0]
    expect(spans(of)).toBe(spans(of))
    expect(renderEmail({ ...of, html: 'bb{{x}}' }, mergeValues(null)).content.html).toBe('bb')
    const many = { ...of, html: 'a{{x}}'.repeat(2_000) }
    expect(spans(many)).not.toBe(spans(many))
    expect(spans(many)).toEqual(spans(many))
  })
})
