import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { blocksOf, readPage } from '../../docs/markdown.ts'
import type { Client } from './client.ts'

const PAGE = 'docs/how-to/put-web-push-into-a-shop.md'
const SERVICE = 'https://messages.example.com'

/** The files of the how-to, as a reader saves them: what begins each, and its name. */
const FILES = { '<!doctype html>': 'shop.html', '// shop.js': 'shop.js', importScripts: 'push-sw.js', '// shop.mjs': 'shop.mjs' } as const

export type DocumentedShop = Readonly<{ origin: string; close: () => Promise<void> }>

/** The service, for a shop whose visitors' browsers have another push vendor: `addressOf` says where an endpoint really is. */
async function startAddressBook(serviceUrl: string, addressOf: (endpoint: string) => string) {
  const server = createServer(async (request, response) => {
    const asked = JSON.parse(await text(request))
    const { 'content-type': type = '', 'x-sender-tenant': slug = '', 'x-api-key': key = '' } = request.headers
    const answer = await fetch(`${serviceUrl}${request.url}`, {
      method: request.method ?? 'GET',
      headers: { 'Content-Type': type, 'X-Sender-Tenant': String(slug), 'X-API-Key': String(key) },
      body: JSON.stringify(asked.endpoint ? { ...asked, endpoint: addressOf(asked.endpoint) } : asked),
    })
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text())
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return server
}

/** Runs the shop of the how-to: its page, its worker and its server, with nothing changed but the address of the service. */
export async function startDocumentedShop(client: Client, addressOf: (endpoint: string) => string): Promise<DocumentedShop> {
  const folder = await mkdtemp(join(tmpdir(), 'tidings-shop-'))
  const blocks = blocksOf(readPage(PAGE))
  for (const [start, name] of Object.entries(FILES)) {
    const [block, ...more] = blocks.filter((one) => one.text.startsWith(start))
    if (block === undefined || more.length > 0) throw new Error(`${PAGE} must have one block that begins with ${start}`)
    await writeFile(join(folder, name), block.text.replaceAll(SERVICE, client.url))
  }
  const book = await startAddressBook(client.url, addressOf)
  const env = {
    ...process.env,
    TIDINGS_URL: `http://127.0.0.1:${(book.address() as AddressInfo).port}`,
    TIDINGS_TENANT: client.slug,
    TIDINGS_API_KEY: client.key,
    PORT: '0',
  }
  const child = spawn(process.execPath, [join(folder, 'shop.mjs')], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(child, 'exit')
  const [line] = await Promise.race([
    once(child.stdout.setEncoding('utf8'), 'data'),
    ended.then(() => Promise.reject(new Error('the shop did not start'))),
  ])
  return {
    origin: String(line).trim(),
    close: async () => {
      child.kill('SIGTERM')
      await ended
      book.closeAllConnections()
      await new Promise((resolve) => book.close(resolve))
      await rm(folder, { recursive: true, force: true })
    },
  }
}
