import { asFormId, asListId, asTemplateId, type TemplateId, type WorkspaceEvent } from '@tidings/domain'
import { foldAll } from '@tidings/projections/testing'
import { expect, test } from 'vitest'
import { formsProjection } from '../src/forms.projection.ts'
import { recorded, WORKSPACE } from './recorded.ts'

const listId = asListId('0192f0c1-0000-7000-8000-000000000013')
const templateId = asTemplateId('0192f0c1-0000-7000-8000-00000000000f')
const senderAddressId = '0192f0c1-0000-7000-8000-000000000011'
const origins = ['https://shop.example']

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
  const form = { workspace_id: WORKSPACE, list_id: listId, template_id: null, sender_address_id: null }
  expect(foldAll(formsProjection, recorded(events)).forms).toEqual([
    { ...form, form_id: 'a', template_id: templateId, sender_address_id: senderAddressId },
    { ...form, form_id: 'b' },
  ])
})
