import { specFor } from '@tidings/testing/decider-spec'
import { expect, it } from 'vitest'
import { connectors } from '../../src/connector/connectors.ts'

const { given } = specFor(connectors)

const data = { connectorId: 'c', name: 'shop', secret: 'a secret of the shop' }
const configured = { type: 'ConnectorConfigured', data } as const

it('a connector is configured once, and again with another secret, which alone holds', () => {
  given().when({ type: 'ConfigureConnector', data }).thenEvents(configured)
  given(configured).when({ type: 'ConfigureConnector', data }).thenNothing()
  const changed = { ...data, secret: 'another secret of it' }
  given(configured).when({ type: 'ConfigureConnector', data: changed }).thenEvents({ type: 'ConnectorConfigured', data: changed })
  expect([configured, { type: 'ConnectorConfigured', data: changed } as const].reduce(connectors.evolve, connectors.initialState)).toEqual([
    { ...changed, version: 2 },
  ])
})

it('connectors of one workspace are beside each other', () => {
  const other = { connectorId: 'd', name: 'reviews', secret: data.secret }
  given(configured).when({ type: 'ConfigureConnector', data: other }).thenEvents({ type: 'ConnectorConfigured', data: other })
})
