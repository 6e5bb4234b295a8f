import { describe, expect, test } from 'vitest'
import { linkMailContent } from '../../src/link-mails/link-mail.ts'
import { nameInMail } from '../../src/send/send-own-mail.ts'

const url = 'https://tidings.example/dashboard/link?mailed#A'
const given = { name: 'Acme', email: 'ada@acme.example', url }

describe('a mail with a link', () => {
  test.each([
    ['en', 'invitation', 'You are invited to Acme', 'ltr', '7 days'],
    ['en', 'link', 'Sign in to Acme', 'ltr', 'an hour'],
    ['he', 'invitation', 'הוזמנת אל Acme', 'rtl', '7 ימים'],
    ['he', 'link', 'כניסה אל Acme', 'rtl', 'בתוך שעה'],
  ] as const)('says in %s of an %s how long it signs in, the same as html and as text', (language, reason, subject, dir, time) => {
    const content = linkMailContent({ language, reason }, given)
    expect(content.subject).toBe(subject)
    expect(content.html).toContain(`<div lang="${language}" dir="${dir}">`)
    for (const part of [content.html, content.text ?? ''])
      for (const said of [url, 'Acme', 'ada@acme.example', time]) expect(part).toContain(said)
    // What follows a link may become part of it (M51).
    expect(content.text).toContain(`\n${url}\n`)
  })

  test('shows a hostile name as a name', () => {
    const name = nameInMail(`\u202e<b>"Acme" &\r\nBcc: eve@evil.example\u2069 ${'x'.repeat(200)}`)
    const { subject, html, text } = linkMailContent({ language: 'en', reason: 'invitation' }, { ...given, name })
    expect(subject).not.toMatch(/[\r\n\u202e\u2069]/)
    expect(html).toContain('<bdi>&lt;b&gt;&quot;Acme&quot; &amp; Bcc: eve@evil.example')
    expect(html).not.toMatch(/<b>|\u202e/)
    expect(text).toMatch(/\u2068<b>"Acme" & Bcc: [^\u2069]{1,90}\u2069/)
  })
})
