import type { ListedCustomFields, ShownCustomField, ShownTags } from '@tidings/contracts'
import { describe, expect, it } from 'vitest'
import { coded, dataOf, outcome, uncoded } from '../support/answers.ts'
import type { Client } from '../support/client.ts'
import type { Session } from '../support/users.ts'
import type { World } from '../support/world.ts'

type Doors = Readonly<{ world: World; session: (slug: string) => Promise<Readonly<{ client: Client; admin: Session }>> }>

/** Names that show nothing, each of other characters. */
const UNSEEN = ['\u200b', '\u2060\u200d', '\u3164', '\u202e\u2069', '\u00ad \ufeff', '\u2800']

/** Custom fields and tags, by an admin of a workspace of its own for each case. */
export function fieldCases(doors: () => Doors): void {
  const withAdmin = (slug: string) => doors().session(slug)
  const put = (admin: Session, path: string, { etag, ...body }: Readonly<{ etag: string }> & Readonly<Record<string, unknown>>) =>
    admin.call(`PUT /dashboard${path}`, { body, headers: { 'If-Match': `"${etag}"` } })

  describe('a custom field', () => {
    it('is made once, under a key that a reader sees, and is what a workspace file makes', async () => {
      const { client, admin } = await withAdmin('fields-made')
      const post = (body: object) => admin.call('POST /dashboard/custom-fields', { body })
      const colour = { key: 'cafe\u0301', label: 'Colour \u202eevil', kind: 'select', options: [{ label: 'Red', value: 'red' }] }
      const made = dataOf<ShownCustomField>(await post(colour), 201)
      expect(made).toMatchObject({ key: 'caf\u00e9', label: colour.label, options: colour.options })
      expect(outcome(await post({ ...colour, key: ' caf\u00e9 ' }))).toEqual(coded(409, 'custom_field_exists'))
      for (const key of UNSEEN) expect((await post({ ...colour, key })).body.message).toBe('key must have a character that can be seen')
      for (const label of UNSEEN) expect((await post({ ...colour, key: 'other', label })).status).toBe(400)
      const wrong: readonly (readonly [object, string])[] = [
        [{ options: [] }, 'options is missing: a select needs at least one'],
        [{ kind: 'text' }, 'options is not a field of the kind text'],
        [{ options: [...colour.options, ...colour.options] }, 'options[1] repeats "red"'],
        [{ key: 'x'.repeat(129) }, 'key must be shorter than or equal to 128 characters'],
      ]
      for (const [part, sentence] of wrong)
        expect(outcome(await post({ ...colour, key: 'other', ...part }))).toEqual(uncoded(400, sentence))
      const { items } = dataOf<ListedCustomFields>(await admin.call('GET /dashboard/custom-fields/all'), 200)
      expect(items.map(({ id, key, options }) => ({ id, key, options }))).toEqual([{ id: made.id, key: 'caf\u00e9', options: 1 }])
      await doors().world.workspace(client.slug, 'customFields: [{ key: café, label: Colour, kind: text }]')
      expect(dataOf<ShownCustomField>(await admin.call(`GET /dashboard/custom-fields/${made.id}`), 200)).toMatchObject({ label: 'Colour' })
    })

    it('is changed by whom has seen it as it is, and keeps its key', async () => {
      const { admin } = await withAdmin('fields-edit')
      const size = { key: 'size', label: 'Size', kind: 'text', options: [] }
      const { id, etag } = dataOf<ShownCustomField>(await admin.call('POST /dashboard/custom-fields', { body: size }), 201)
      const path = `/custom-fields/${id}`
      expect(outcome(await admin.call(`PUT /dashboard${path}`, { body: { label: 'S', kind: 'text', options: [] } }))).toEqual(
        coded(428, 'if_match_required'),
      )
      const changed = await put(admin, path, { etag, label: 'Shoe size', kind: 'number', options: [] })
      expect(dataOf<ShownCustomField>(changed, 200)).toMatchObject({ key: 'size', label: 'Shoe size', kind: 'number' })
      const late = await put(admin, path, { etag, label: 'Other', kind: 'text', options: [] })
      expect(outcome(late)).toEqual(coded(409, 'changed_meanwhile'))
      expect(late.body).toMatchObject({ by: 'admin@fields-edit.example' })
    })
  })

  it('a tag gets another colour, keeps its name, and has one that a reader sees', async () => {
    const { admin } = await withAdmin('tags-edit')
    const post = (body: object) => admin.call('POST /dashboard/tags', { body })
    const { id } = dataOf<Readonly<{ id: string }>>(await post({ name: 'נועה \u202eevil' }), 201)
    for (const name of UNSEEN) expect((await post({ name })).body.message).toBe('name must have a character that can be seen')
    const all = async () => dataOf<ShownTags>(await admin.call('GET /dashboard/tags/all'), 200).items
    const [tag] = await all()
    expect(tag).toMatchObject({ id, name: 'נועה \u202eevil', color: null })
    const etag = tag?.etag ?? ''
    // Another tag in the same stream refuses nothing.
    expect((await post({ name: 'Sale', color: 'info' })).status).toBe(201)
    expect(dataOf<object>(await put(admin, `/tags/${id}`, { etag, color: 'violet' }), 200)).toMatchObject({ color: 'violet' })
    expect(outcome(await put(admin, `/tags/${id}`, { etag, color: null }))).toEqual(coded(409, 'changed_meanwhile'))
    expect((await put(admin, `/tags/${id}`, { etag, color: 'pink' })).status).toBe(400)
    expect((await put(admin, `/tags/${id}`, { etag, color: null, name: 'Other' })).status).toBe(400)
    expect((await all()).map(({ name, color }) => [name, color])).toEqual([
      ['נועה \u202eevil', 'violet'],
      ['Sale', 'info'],
    ])
  })
}
