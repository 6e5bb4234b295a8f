import { specFor } from '@tidings/testing/decider-spec'
import { describe, it } from 'vitest'
import { asTemplateId } from '../../src/index.ts'
import type { TemplateEvent } from '../../src/template/template.ts'
import { template } from '../../src/template/template.ts'

const { given } = specFor(template)

const content = { subject: 'Hi {{firstName}}', html: '<p>Hi</p>', text: null, body: null, push: null, fromName: 'Acme' }
const data = { templateId: asTemplateId('t'), name: 'welcome', channel: 'email', archived: false, ...content } as const
const created: TemplateEvent = { type: 'TemplateCreated', data }
const archived: TemplateEvent = { type: 'TemplateArchived', data: { templateId: asTemplateId('t') } }
const restored: TemplateEvent = { type: 'TemplateRestored', data: { templateId: asTemplateId('t') } }

describe('a template', () => {
  it('is created as it is described', () => {
    given().when({ type: 'ConfigureTemplate', data }).thenEvents(created)
    given()
      .when({ type: 'ConfigureTemplate', data: { ...data, archived: true } })
      .thenEvents({ ...created, data: { ...data, archived: true } })
  })

  it('gets new content, and moves in and out of the archive', () => {
    given(created)
      .when({ type: 'ConfigureTemplate', data: { ...data, subject: 'Welcome', archived: true } })
      .thenEvents({ type: 'TemplateContentChanged', data: { templateId: asTemplateId('t'), ...content, subject: 'Welcome' } }, archived)
    given(created, archived).when({ type: 'ConfigureTemplate', data }).thenEvents(restored)
  })

  it('never changes its channel', () => {
    given(created)
      .when({ type: 'ConfigureTemplate', data: { ...data, channel: 'sms' } })
      .thenRefused('template_channel_mismatch')
  })

  it('is archived and restored by itself too, once it exists', () => {
    given(created)
      .when({ type: 'ArchiveTemplate', data: { templateId: asTemplateId('t') } })
      .thenEvents(archived)
    given(created, archived)
      .when({ type: 'RestoreTemplate', data: { templateId: asTemplateId('t') } })
      .thenEvents(restored)
    given()
      .when({ type: 'ArchiveTemplate', data: { templateId: asTemplateId('t') } })
      .thenRefused('template_not_found')
  })
})
