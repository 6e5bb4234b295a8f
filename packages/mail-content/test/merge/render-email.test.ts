import { mergeValues } from '@tidings/domain'
import { describe, expect, it } from 'vitest'
import { renderEmail } from '../../src/merge/render-email.ts'

const refused = (code: string) => expect.objectContaining({ code })
const ada = { firstName: 'Ada', lastName: null, email: 'ada@example.com', phone: null, customProperties: {} }

describe('a rendered mail', () => {
  const template = { subject: 'Hi {{firstName}}', html: '<p>{{x}}</p>', text: '{{x}}', fromName: 'Acme {{x}}' }

  it('has subject, html, text and a sender name', () => {
    expect(renderEmail(template, mergeValues(ada, { x: '1 < 2' }))).toEqual({
      subject: 'Hi Ada',
      html: '<p>1 &lt; 2</p>',
      text: '1 < 2',
      fromName: 'Acme 1 < 2',
    })
  })

  it('has no text and no sender name where nothing is left of them', () => {
    expect(renderEmail({ ...template, fromName: '{{y}}' }, mergeValues(ada, {}))).toMatchObject({ text: null, fromName: null })
  })

  it('is refused when nothing is left of its subject or html', () => {
    const values = mergeValues(ada, {})
    expect(() => renderEmail({ ...template, subject: '{{y}}' }, values)).toThrow(refused('content_empty'))
    expect(() => renderEmail({ ...template, html: ' {{y}} ' }, values)).toThrow(refused('content_empty'))
    expect(() => renderEmail({ ...template, html: null }, values)).toThrow(refused('content_empty'))
  })

  it('is refused when it grows too large', () => {
    const values = mergeValues(null, { x: 'x'.repeat(100_000) })
    expect(() => renderEmail({ ...template, html: '{{x}}'.repeat(6) }, values)).toThrow(refused('template_render_failed'))
  })
})
