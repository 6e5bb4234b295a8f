import { specFor } from '@tidings/testing/decider-spec'
import { describe, it } from 'vitest'
import { customEvent } from '../../src/custom-event/custom-event.ts'
import { WEBHOOK_EVENTS } from '../../src/webhooks/webhook-names.ts'

const { given } = specFor(customEvent)

const data = { eventId: 'e', name: 'order_placed', label: 'Order placed', properties: ['orderId', 'total'], retired: false }
const declared = { type: 'CustomEventDeclared', data } as const

describe('a custom event', () => {
  it('is declared once, and again when anything differs', () => {
    given().when({ type: 'DeclareCustomEvent', data }).thenEvents(declared)
    given(declared).when({ type: 'DeclareCustomEvent', data }).thenNothing()
    for (const changed of [{ label: 'Order' }, { properties: ['orderId'] }, { retired: true }])
      given(declared)
        .when({ type: 'DeclareCustomEvent', data: { ...data, ...changed } })
        .thenEvents({ type: 'CustomEventDeclared', data: { ...data, ...changed } })
  })

  it('never has the name of a built-in event', () => {
    for (const name of WEBHOOK_EVENTS)
      given()
        .when({ type: 'DeclareCustomEvent', data: { ...data, name } })
        .thenRefused('event_name_reserved')
  })
})
