import { expect, it } from 'vitest'
import { signed } from './support/receipts.ts'
import { startWorld } from './support/world.ts'

it('without a secret, no receipt is believed', async () => {
  const world = await startWorld()
  try {
    const body = '[]'
    const { status } = await fetch(`${world.url}/api/v1/providers/email/events`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-Tidings-Signature': signed(body, '') },
      body,
    })
    expect(status).toBe(401)
  } finally {
    await world.stop()
  }
})
