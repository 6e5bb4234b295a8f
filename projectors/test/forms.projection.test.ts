import {
  asApiKeyId,
  asContactId,
  asFormId,
  asListId,
  asTemplateId,
  type DomainEvent,
  type TemplateId,
  type WorkspaceEvent,
} from '@tidings/domain'
import { foldAll } from '@tidings/projections/testing'
import { expect, test } from 'vitest'
import { formsProjection } from '../src/forms.projection.ts'
import { recorded, WORKSPACE } from './recorded.ts'

const listId = asListId('0192f0c1-0000-7000-8000-000000000013')
const templateId = asTemplateId('0192f0c1-0000-7000-8000-00000000000f')
const senderAddressId = '0192f0c1-0000-7000-8000-000000000011'
const origins = ['https://shop.example']
const MADE = { workspace_id: WORKSPACE, list_id: listId, archived: false, sign_ups: 0, confirmed: 0 }

test('feature and origins are set apart from each other, in either order', () => {
  const on: WorkspaceEvent = { type: 'WorkspaceFeaturesSet', data: { features: ['embedded_forms'] } }
  const off: WorkspaceEvent = { type: 'WorkspaceFeaturesSet', data: { features: [] } }
  const at: WorkspaceEvent = { type: 'FormOriginsSet', data: { origins } }
  const settingsAfter = (...events: readonly WorkspaceEvent[]) => foldAll(formsProjection, recorded(events)).form_settings
  for (const events of [
    [on, at],
    [at, on],
    [off, at, on],
  ])
    expect(settingsAfter(...events)).toEqual([{ workspace_id: WORKSPACE, enabled: true, origins }])
  expect(settingsAfter(on, at, off)).toEqual([{ workspace_id: WORKSPACE, enabled: false, origins }])
})

test('a form is what was said of it last', () => {
  const configured = (formId: string, confirmation: { templateId: TemplateId; senderAddressId: string } | null): WorkspaceEvent => ({
    type: 'FormConfigured',
    data: { formId: asFormId(formId), listId, confirmation },
  })
  const events = [
    configured('a', null),
    configured('b', { templateId, senderAddressId }),
    configured('a', { templateId, senderAddressId }),
    configured('b', null),
  ]
  const form = { ...MADE, template_id: null, sender_address_id: null }
  expect(foldAll(formsProjection, recorded(events)).forms).toEqual([
    { ...form, form_id: 'a', template_id: templateId, sender_address_id: senderAddressId },
    { ...form, form_id: 'b' },
  ])
})

const configured: WorkspaceEvent = { type: 'FormConfigured', data: { formId: asFormId('footer'), listId, confirmation: null } }

test('a form is archived and brought back, and one that is configured meanwhile stays archived', () => {
  const archived: WorkspaceEvent = { type: 'FormArchived', data: { formId: asFormId('footer') } }
  const restored: WorkspaceEvent = { type: 'FormRestored', data: { formId: asFormId('footer') } }
  const after = (...events: readonly WorkspaceEvent[]) =>
    foldAll(formsProjection, recorded(events)).forms?.map((form) => (form as Readonly<{ archived: boolean }>).archived)
  expect(after(configured, archived)).toEqual([true])
  expect(after(configured, archived, configured)).toEqual([true])
  expect(after(configured, archived, restored)).toEqual([false])
  expect(after(archived) ?? []).toEqual([])
})

test('sign-ups are counted by the actor, at forms that there are, also after an erasure', () => {
  const [contactId, keyId] = [asContactId('0192f0c1-0000-7000-8000-000000000001'), asApiKeyId('0192f0c1-0000-7000-8000-000000000002')]
  const data = { signUpId: 's', contactId, listId: null, keyId, formId: null, sourceUrl: null, confirmBy: null, pending: null }
  const submitted: DomainEvent = { type: 'FormSubmitted', data }
  const confirmed: DomainEvent = { type: 'SignUpConfirmed', data: { signUpId: 's', contactId } }
  const by = (actor: string, ...events: readonly DomainEvent[]) => events.map((event) => ({ event, actor }))
  const history = [
    ...by('form:footer', submitted),
    ...by('operator', configured),
    ...by('form:footer', submitted, submitted, confirmed),
    ...by('form:other', submitted),
    ...by('form', submitted),
    ...by('operator', configured),
  ]
  const all = recorded(
    history.map(({ event }) => event),
    true,
  ).map((event, n) => ({ ...event, meta: { ...event.meta, actor: history[n]?.actor ?? '' } }))
  expect(foldAll(formsProjection, all).forms).toEqual([
    { ...MADE, form_id: 'footer', template_id: null, sender_address_id: null, sign_ups: 2, confirmed: 1 },
  ])
})
