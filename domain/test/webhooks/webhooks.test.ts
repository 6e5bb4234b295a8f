import { specFor } from '@tidings/testing/decider-spec'
import { describe, it } from 'vitest'
import type { WebhooksEvent } from '../../src/webhooks/webhooks.ts'
import { webhooks } from '../../src/webhooks/webhooks.ts'

const { given } = specFor(webhooks)

const data = (endpointId: string) => ({
  endpointId,
  url: 'https://shop.example/hook',
  label: null,
  events: ['contact.created'],
  signingSecret: 'ab'.repeat(32),
})
const created = (endpointId: string): WebhooksEvent => ({ type: 'WebhookEndpointCreated', data: data(endpointId) })
const create = (endpointId: string, limit = 50) => ({ type: 'CreateWebhook', data: { ...data(endpointId), limit } }) as const
const paused: WebhooksEvent = { type: 'WebhookEndpointPaused', data: { endpointId: '1' } }
const resumed: WebhooksEvent = { type: 'WebhookEndpointResumed', data: { endpointId: '1' } }
const deleted: WebhooksEvent = { type: 'WebhookEndpointDeleted', data: { endpointId: '1' } }
const pause = { type: 'PauseWebhook', data: { endpointId: '1' } } as const
const resume = { type: 'ResumeWebhook', data: { endpointId: '1' } } as const
const remove = { type: 'DeleteWebhook', data: { endpointId: '1' } } as const

describe('the webhook endpoints of a workspace', () => {
  it('are created, as many as the limit says', () => {
    given().when(create('1')).thenEvents(created('1'))
    given(created('1')).when(create('2', 2)).thenEvents(created('2'))
    given(created('1'), created('2')).when(create('3', 2)).thenRefused('webhook_limit_reached')
  })

  it('leave room when they are deleted', () => {
    given(created('1'), deleted).when(create('2', 1)).thenEvents(created('2'))
  })

  it('are paused and resumed', () => {
    given(created('1')).when(pause).thenEvents(paused)
    given(created('1'), paused).when(resume).thenEvents(resumed)
    given(created('1')).when(resume).thenNothing()
    given(created('1'), paused).when(pause).thenNothing()
  })

  it('cannot be paused or resumed when they are not there', () => {
    given().when(pause).thenRefused('webhook_not_found')
    given(created('1'), deleted).when(resume).thenRefused('webhook_not_found')
  })

  it('are deleted once, paused or not', () => {
    given(created('1')).when(remove).thenEvents(deleted)
    given(created('1'), paused).when(remove).thenEvents(deleted)
    given(created('2')).when(remove).thenNothing()
  })
})
