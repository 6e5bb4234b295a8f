import type { EditedTemplate, FormChanges, ShownForm, ShownForms } from '@tidings/contracts'
import { describe, expect, it } from 'vitest'
import { coded, dataOf, outcome, uncoded } from '../support/answers.ts'
import type { Client } from '../support/client.ts'
import { formOf, SHOP } from '../support/forms.ts'
import type { Session } from '../support/users.ts'
import type { World } from '../support/world.ts'

type Doors = Readonly<{ world: World; session: (slug: string) => Promise<Readonly<{ client: Client; admin: Session }>> }>

const FILE = `features: [embedded_forms]
formOrigins: ["${SHOP}"]
lists: [{ name: VIP, type: static }, { name: Hebrew, type: dynamic, rule: { field: locale, op: eq, value: he } }]
templates:
  - { name: confirm, channel: email, subject: Please confirm, html: "<a href='{{confirmUrl}}'>Yes</a>" }
  - { name: silent, channel: email, subject: Hi, html: "<p>Hello</p>" }
  - { name: gone, channel: email, subject: Hi, html: "<a href='{{confirmUrl}}'>Yes</a>", archived: true }`

/** Forms of pages, by an admin of a workspace of its own for each case. */
export function formCases(doors: () => Doors): void {
  const start = async (slug: string) => {
    const { client, admin } = await doors().session(slug)
    // The key is that of the first application of the file.
    const { lists, templates } = (await doors().world.workspace(client.slug, FILE)).applied
    const put = (path: string, { etag, ...body }: Readonly<{ etag: string }> & Readonly<Record<string, unknown>>) =>
      admin.call(`PUT /dashboard${path}`, { body, headers: { 'If-Match': `"${etag}"` } })
    const post = (body: object) => admin.call('POST /dashboard/forms', { body })
    return {
      ...{ client, admin, post, put },
      ...{ listId: lists.VIP ?? '', dynamic: lists.Hebrew ?? '', templates, from: `hello@${slug}.example` },
      read: async (id: string) => dataOf<ShownForm>(await admin.call(`GET /dashboard/forms/${encodeURIComponent(id)}`), 200),
      all: async () => dataOf<ShownForms>(await admin.call('GET /dashboard/forms'), 200),
    }
  }

  describe('a form of a page', () => {
    it('keeps the link in the template by which it asks to confirm, and the template', async () => {
      const { admin, post, put, listId, templates, from } = await start('forms-link')
      const path = `/templates/${templates.confirm}`
      const { etag } = dataOf<EditedTemplate>(await admin.call(`GET /dashboard${path}`), 200)
      const texts = (html: string, text?: string) => put(path, { etag, subject: 'Confirm', html, text })
      dataOf<ShownForm>(await post({ id: 'asks', listId, confirmation: { templateId: templates.confirm, from } }), 201)
      const asks = 'The form "asks" asks to confirm sign-ups with this template: '
      const link = '"confirm" must have the link {{confirmUrl}}, in its html and in its text if it has one'
      const linked = "<p><a href='{{confirmUrl}}'>Yes</a></p>"
      for (const lost of [await texts('<p>Hello</p>'), await texts(linked, 'Hello')])
        expect(lost).toMatchObject({ status: 400, body: { message: `${asks}${link}` } })
      const archived = await admin.call(`POST /dashboard${path}/archive`)
      expect(archived).toMatchObject({ status: 400, body: { message: `${asks}choose another there first` } })
      expect((await texts(linked, '{{confirmUrl}}')).status).toBe(200)
      expect((await admin.call(`POST /dashboard/templates/${templates.silent}/archive`)).status).toBe(200)
    })

    it('is made once, of what the workspace has, and is what a workspace file names', async () => {
      const { client, admin, post, all, read, listId, dynamic, templates, from } = await start('forms-made')
      const other = await start('forms-other')
      const made = dataOf<ShownForm>(await post({ id: 'footer', listId, confirmation: null }), 201)
      expect(made).toMatchObject({ id: 'footer', list: { id: listId, name: 'VIP' }, confirms: false, archived: false, confirmation: null })
      expect(outcome(await post({ id: ' footer ', listId, confirmation: null }))).toEqual(coded(409, 'form_id_taken'))
      for (const id of ['טופס', '-x', 'a b', '\u202ea', '', 'x'.repeat(121)])
        expect([id, (await post({ id, listId, confirmation: null })).status]).toEqual([id, 400])
      const asking = (name: string, sender = from) => ({ templateId: templates[name], from: sender })
      const wrong: readonly (readonly [object, string])[] = [
        [{ listId: other.listId, confirmation: null }, 'listId: there is no such list in this workspace'],
        [{ listId: dynamic, confirmation: null }, 'listId: "Hebrew" is a dynamic list, which no contact can join: name a static one'],
        [
          { listId, confirmation: { templateId: other.templates.confirm, from } },
          'confirmation.templateId: there is no such template in this workspace',
        ],
        [{ listId, confirmation: asking('gone') }, 'confirmation.templateId: "gone" is archived'],
        [
          { listId, confirmation: asking('silent') },
          'confirmation.templateId: "silent" must have the link {{confirmUrl}}, in its html and in its text if it has one',
        ],
        [
          { listId, confirmation: asking('confirm', other.from) },
          `confirmation.from: there is no sender address "${other.from}" in this workspace`,
        ],
      ]
      for (const [body, sentence] of wrong) expect(outcome(await post({ id: 'popup', ...body }))).toEqual(uncoded(400, sentence))
      expect((await all()).items.map(({ id }) => id)).toEqual(['footer'])
      const popup = dataOf<ShownForm>(await post({ id: 'popup', listId, confirmation: asking('confirm', from.toUpperCase()) }), 201)
      const headers = { Authorization: `Bearer ${admin.token}` }
      const looks = await fetch(`${doors().world.url}/api/v1/dashboard/forms/popup/preview?lang=he`, { headers })
      expect([looks.status, looks.headers.get('content-security-policy')]).toEqual([
        200,
        expect.stringMatching(/^sandbox; default-src 'none'/),
      ])
      expect(outcome(await other.admin.call('GET /dashboard/forms/popup/preview'))).toEqual(uncoded(404, 'Form not found'))
      expect(popup.confirmation).toEqual({ template: { id: templates.confirm, name: 'confirm' }, from })
      await doors().world.workspace(client.slug, 'forms: [{ id: footer, list: VIP, archived: true }, { id: "קמפיין א", list: VIP }]')
      expect(await read('footer')).toMatchObject({ archived: true, changedBy: 'operator' })
      expect(await read('קמפיין א')).toMatchObject({ counts: null })
      expect((await all()).script).toMatch(/\/forms\/embed\.js$/)
    })

    it('is changed by whom has seen it as it is, archived and brought back, and says who did it', async () => {
      const { client, admin, post, put, read, listId, templates, from } = await start('forms-edit')
      const confirmation = { templateId: templates.confirm, from }
      const { etag } = dataOf<ShownForm>(await post({ id: 'footer', listId, confirmation: null }), 201)
      const page = formOf(client)
      /** A change before it has taken effect in every process by then. */
      const signUp = async (email: string, formId: string) => {
        await doors().world.settle()
        return await page.subscribe({ email, formId })
      }
      expect((await signUp('ada@people.example', 'footer')).status).toBe(200)
      await doors().world.settle()
      expect((await read('footer')).counts).toEqual({ signUps: 1, confirmed: 0 })
      const wanted = { listId, confirmation, archived: true }
      expect(outcome(await admin.call('PUT /dashboard/forms/footer', { body: wanted }))).toEqual(coded(428, 'if_match_required'))
      const archived = dataOf<ShownForm>(await put('/forms/footer', { etag, ...wanted }), 200)
      expect(archived).toMatchObject({ archived: true, confirms: true, changedBy: 'admin@forms-edit.example' })
      const late = await put('/forms/footer', { etag, ...wanted, archived: false })
      expect(outcome(late)).toEqual(coded(409, 'changed_meanwhile'))
      expect(late.body).toMatchObject({ by: 'admin@forms-edit.example' })
      const refused = await signUp('noa@people.example', 'footer')
      expect([refused.status, refused.body.message]).toEqual([403, 'This form takes no sign-ups any more'])
      // Archiving a form lets no sign-up in unasked.
      expect((await signUp('noa@people.example', 'made up')).body.data).toMatchObject({ pending: true })
      const { etag: now } = archived
      expect((await put('/forms/footer', { etag: now, listId, confirmation: null, archived: false })).status).toBe(200)
      expect((await signUp('noa@people.example', 'footer')).status).toBe(200)
      await doors().world.settle()
      expect((await read('footer')).counts).toEqual({ signUps: 2, confirmed: 0 })
      const { items, hasMore } = dataOf<FormChanges>(await admin.call('GET /dashboard/forms/footer/history'), 200)
      expect([items.map(({ what, confirms }) => [what, confirms]), hasMore]).toEqual([
        [
          ['restored', false],
          ['changed', false],
          ['archived', false],
          ['changed', true],
          ['created', false],
        ],
        false,
      ])
      expect(new Set(items.map(({ by }) => by))).toEqual(new Set(['admin@forms-edit.example']))
    })

    it('stands where its sites are allowed, each as a browser sends it', async () => {
      const { client, admin, all, put, post, listId } = await start('forms-sites')
      await post({ id: 'footer', listId, confirmation: null })
      const { settings } = await all()
      expect(settings).toMatchObject({ enabled: true, origins: [SHOP] })
      const body = { enabled: true, origins: ['https://Shop.Example:443/', 'https://shop.example', 'https://חנות.example'] }
      expect(outcome(await admin.call('PUT /dashboard/form-settings', { body }))).toEqual(coded(428, 'if_match_required'))
      for (const origin of ['shop.example', '*', 'https://shop.example/sale', 'https://u:p@shop.example', 'javascript:alert(1)', ''])
        expect([origin, (await put('/form-settings', { ...body, origins: [origin], etag: settings.etag })).status]).toEqual([origin, 400])
      const saved = dataOf<ShownForms['settings']>(await put('/form-settings', { ...body, etag: settings.etag }), 200)
      expect(saved.origins).toEqual(['https://shop.example', 'https://xn--9dbd1a4b.example'])
      expect(outcome(await put('/form-settings', { ...body, etag: settings.etag }))).toEqual(coded(409, 'changed_meanwhile'))
      const signUp = async (origin: string) => {
        await doors().world.settle()
        return (await formOf(client, origin).subscribe({ email: 'ada@people.example', formId: 'footer' })).status
      }
      expect([await signUp('https://shop.example'), await signUp(SHOP)]).toEqual([200, 403])
      expect((await put('/form-settings', { ...body, enabled: false, etag: saved.etag })).status).toBe(200)
      expect(await signUp('https://shop.example')).toBe(403)
    })
  })
}
