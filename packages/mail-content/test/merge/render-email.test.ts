import { mergeValues } from '@tidings/domain'
import { describe, expect, it } from 'vitest'
import { renderEmail } from '../../src/merge/render-email.ts'

const refused = (code: string) => expect.objectContaining({ code })
const ada = { firstName: 'Ada', lastName: null, email: 'ada@example.com', phone: null, customProperties: {} }

describe('a rendered mail', () => {
  const template = { subject: 'Hi {{firstName}}', html: '<p>{{x}}</p>', text: '{{x}}', fromName: 'Acme {{x}}' }

  it('has subject, html, text and a sender name', () => {
    expect(renderEmail(template, mergeValues(ada, { x: '1 < 2' }))).toMatchObject({
      content: { subject: 'Hi Ada', html: '<p>1 &lt; 2</p>', text: '1 < 2' },
      fromName: 'Acme 1 < 2',
    })
  })

  it('has no text and no sender name where nothing is left of them', () => {
    expect(renderEmail({ ...template, fromName: '{{y}}' }, mergeValues(ada, {}))).toMatchObject({
      content: { text: null },
      fromName: null,
    })
  })

  it('is refused when nothing is left of its subject or html', () => {
    const values = mergeValues(ada, {})
    expect(() => renderEmail({ ...template, subject: '{{y}}' }, values)).toThrow(refused('content_empty'))
    expect(() => renderEmail({ ...template, html: ' {{y}} ' }, values)).toThrow(refused('content_empty'))
    expect(() => renderEmail({ ...template, html: null }, values)).toThrow(refused('content_empty'))
  })

  it('is the same of a template that was read before, whatever it was rendered with then', () => {
    const place = '<a href="https://a.example/?q={{x}}{{x}}">{{x|<b>you</b>}}</a><script>a = {{y}}, b = "{{x}}"</script><p title={{x}}>'
    const fields = [{ x: 'a b' }, { x: '"><i>', y: '</script>' }, {}, { x: '//', y: 'javascript:' }, { x: 'a b' }]
    for (const html of [place, place.repeat(300)]) {
      const once = { ...template, html }
      for (const given of fields)
        expect(renderEmail(once, mergeValues(ada, given))).toEqual(renderEmail({ ...once }, mergeValues(ada, given)))
    }
  })

  it('is another one of a template that has changed, which is another object', () => {
    const values = mergeValues(ada, { x: '1' })
    expect(renderEmail(template, values).content.html).toBe('<p>1</p>')
    expect(renderEmail({ ...template, html: '<b>{{x}}</b>{{x}}' }, values).content.html).toBe('<b>1</b>1')
    expect(renderEmail(template, values).content.html).toBe('<p>1</p>')
  })

  it('is refused when it grows too large', () => {
    const values = mergeValues(null, { x: 'x'.repeat(100_000) })
    expect(() => renderEmail({ ...template, html: '{{x}}'.repeat(6) }, values)).toThrow(refused('template_render_failed'))
  })
})
