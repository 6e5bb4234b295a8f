import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { tryMailgun } from '../../src/mailgun/mailgun-provider.ts'

const [KEY, WEBHOOK_KEY] = ['key-hunter2', 'signing-hunter3']

test('a try of a server that repeats what it knows says none of the keys, in no form', async () => {
  const server = createServer((request, response) => {
    const message = `${request.headers.authorization} ${KEY} ${WEBHOOK_KEY} is no key`
    response.writeHead(500, { 'content-type': 'application/json' }).end(JSON.stringify({ message }))
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const tried = tryMailgun(`mailgun://mg.acme.example:${KEY}@127.0.0.1:${port}?protocol=http&webhook=${WEBHOOK_KEY}`, 60_000)
  await expect(tried).rejects.toThrow(/HTTP 500: Basic \[redacted\] \[redacted\] \[redacted\] is no key\.$/)
})
