import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { expect, test } from 'vitest'
import { assertPortsFree } from '../../src/start/assert-ports-free.ts'
import { explained } from '../../src/start/explained.ts'

const HOST = '127.0.0.1'

test.each(['port', 'adminPort'] as const)('a %s that another program listens on is refused by its number', async (name) => {
  const other = createServer().listen({ host: HOST, port: 0 })
  await once(other, 'listening')
  const { port } = other.address() as AddressInfo
  const asked = { host: HOST, port: 0, adminPort: null, [name]: port }
  const refused = await assertPortsFree(asked).catch((error: unknown) => explained(error, HOST))
  expect(refused).toMatchObject({ message: expect.stringContaining(`Port ${port} of ${HOST} is taken`) })
  other.close()
  await once(other, 'close')
})

test('any free port will do', async () => {
  await assertPortsFree({ host: HOST, port: 0, adminPort: null })
})

test('an address that this machine does not have is refused as the listening would', async () => {
  // 192.0.2.0/24 is for documentation (RFC 5737): no interface has it.
  const host = '192.0.2.1'
  const refused = await assertPortsFree({ host, port: 1_025, adminPort: null }).catch((error: unknown) => explained(error, host))
  expect(refused).toMatchObject({ message: expect.stringContaining(`HOST ${host} cannot be listened on`) })
})
