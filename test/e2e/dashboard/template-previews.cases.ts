import type { CheckedTemplate } from '@tidings/contracts'
import { describe, expect, it } from 'vitest'
import { dataOf } from '../support/answers.ts'
import type { Session } from '../support/users.ts'
import type { World } from '../support/world.ts'

type Doors = Readonly<{ world: World; sessions: Readonly<Record<'member', Session>>; person: string }>

/** Texts of a template that is not saved yet: what they would become, and how they look. `person`: a profile of the workspace. */
export function templatePreviewCases(doors: () => Doors): void {
  describe('a template that is being written', () => {
    const check = async (body: object) =>
      dataOf<CheckedTemplate>(await doors().sessions.member.call('POST /dashboard/templates/check', { body }), 200)

    it('is checked by what saving and sending would say, as a person or without one', async () => {
      const { person } = doors()
      const mail = { channel: 'email', subject: 'For {{firstName|you}}', html: '<p>{{custom.size}}</p>', fromName: 'Shop' }
      expect(await check({ ...mail, contactId: person })).toEqual({
        mistake: null,
        mergeFields: ['custom.size', 'firstName'],
        rendered: { subject: 'For Noa', text: null, body: null, push: null, fromName: 'Shop', segments: null, credits: null },
      })
      expect((await check(mail)).rendered?.subject).toBe('For you')
      expect((await check({ ...mail, html: '{{#if vip}}' })).mistake).toMatch(/^html: "\{\{#if vip\}\}" is no merge tag/)
      expect((await check({ ...mail, subject: '{{lastSeen}}' })).mistake).toBe('The message is empty after its merge tags are resolved')
      const sms = await check({ channel: 'sms', body: `${'x'.repeat(150)}{{firstName}} שלום`, contactId: person })
      expect(sms.rendered).toMatchObject({ segments: 3, credits: 2, body: expect.stringContaining('Noa שלום') })
      const push = { title: 'Hi {{firstName|you}}', body: 'b', url: 'https://shop.example/{{firstName}}' }
      expect((await check({ channel: 'push', push, contactId: person })).rendered?.push).toMatchObject({
        title: 'Hi Noa',
        url: 'https://shop.example/Noa',
      })
    })

    const preview = (fields: Readonly<Record<string, string>>, headers: Readonly<Record<string, string>> = {}) =>
      fetch(`${doors().world.url}/api/v1/dashboard/templates/preview`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${doors().sessions.member.token}`, ...headers },
        body: new URLSearchParams(fields),
      })

    it('is posted by a form into a frame that runs nothing, as it would be sent', async () => {
      const { person } = doors()
      const html = '<p title="{{firstName}}">{{firstName|you}}</p></script><script>alert(1)</script>\u202e'
      const answer = await preview({ html, contactId: person })
      expect(answer.status).toBe(200)
      expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8')
      expect(answer.headers.get('content-security-policy')).toMatch(
        /^sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:;/,
      )
      expect(answer.headers.get('cache-control')).toBe('no-store')
      expect(await answer.text()).toBe(html.replace('{{firstName}}', 'Noa').replace('{{firstName|you}}', 'Noa'))
      expect((await preview({ html, images: 'https' })).headers.get('content-security-policy')).toContain('img-src data: https:;')
      const large = '<p>é&</p>'.repeat(55_000)
      expect(await (await preview({ html: large })).text()).toBe(large)
      expect((await preview({ html: 'x'.repeat(500_001) })).status).toBe(400)
      expect((await preview({ html: 'a\0b' })).status).toBe(400)
      expect((await preview({ html, subject: 'x' })).status).toBe(400)
      expect((await preview({ html, contactId: crypto.randomUUID() })).status).toBe(404)
    })

    it('is posted by no other page, and a form is taken by this route alone', async () => {
      const { world, sessions } = doors()
      const byCookie = { Cookie: `sender_session=${sessions.member.token}` }
      const posted = (headers: Readonly<Record<string, string>>) =>
        fetch(`${world.url}/api/v1/dashboard/templates/preview`, { method: 'POST', headers, body: new URLSearchParams({ html: 'x' }) })
      expect((await posted({ ...byCookie, Origin: world.url, 'Sec-Fetch-Site': 'same-origin' })).status).toBe(200)
      for (const headers of [
        {},
        { Origin: 'null' },
        { Origin: 'https://evil.example' },
        { Origin: world.url, 'Sec-Fetch-Site': 'cross-site' },
      ])
        expect((await posted({ ...byCookie, ...headers })).status).toBe(403)
      expect((await posted({})).status).toBe(401)
      const form = { method: 'POST', headers: { Authorization: `Bearer ${sessions.member.token}` }, body: new URLSearchParams(SMS_FORM) }
      expect((await fetch(`${world.url}/api/v1/dashboard/templates`, form)).status).toBe(400)
    })
  })
}

const SMS_FORM = { name: 'Form', channel: 'sms', body: 'x' }
