import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { readAnswers } from './answers.ts'
import { runUnpaced } from './unpaced.ts'

/** A server, and what it was asked. */
const serve = async (answer: RequestListener) => {
  const asked: string[] = []
  const server = createServer(async (request, response) => {
    const body = (await request.toArray()).join('')
    asked.push(`${request.method} ${request.url} ${body}`)
    answer(request, response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked, server }
}

const plan = { method: 'POST', headers: { 'x-api-key': 'k' }, connections: 5, seconds: 0.2, from: 7 } as const

test('the load generator counts every answer once, and sends each number once', async () => {
  const { url, asked } = await serve((request, response) => {
    const found = request.url?.endsWith('3')
    response.writeHead(found ? 400 : 202, { ...(request.url?.endsWith('5') && { 'X-Consistency': 'pending' }) })
    // Each answer comes in two pieces, the longer ones over many reads.
    response.write(found ? 'bad' : 'x'.repeat(40_000))
    response.end('end')
  })
  const refusing = await runUnpaced({ ...plan, url, path: (n) => `/${n}`, body: (n) => `é${n}` })
  // Chunks are no bodies that it reads.
  expect(refusing).toMatchObject({ answered: 0, refused: 5, refusal: expect.stringContaining('without Content-Length') })

  const counting = await serve((request, response) => {
    const body = request.url?.endsWith('3') ? 'bad' : 'x'.repeat(40_000)
    const pending = request.url?.endsWith('5') ? { 'X-Consistency': 'pending' } : {}
    response.writeHead(body === 'bad' ? 400 : 202, { 'Content-Length': body.length, ...pending })
    response.write(body.slice(0, 2))
    setImmediate(() => response.end(body.slice(2)))
  })
  const result = await runUnpaced({ ...plan, url: counting.url, path: (n) => `/${n}`, body: (n) => `é${n}` })
  const numbers = Array.from({ length: result.next - 7 }, (_, n) => n + 7)
  expect(counting.asked.toSorted()).toEqual(numbers.map((n) => `POST /${n} é${n}`).toSorted())
  const ending = (digit: number) => numbers.filter((n) => n % 10 === digit).length
  expect(result).toMatchObject({
    answered: numbers.length - ending(3),
    refused: ending(3),
    refusal: numbers.some((n) => n % 10 === 3) ? '400 bad' : null,
    pending: ending(5),
  })
  expect(asked).toHaveLength(5)
})

test('a connection that is made too late asks once', async () => {
  const { url, asked } = await serve((_request, response) => response.writeHead(202, { 'Content-Length': 0 }).end())
  const result = await runUnpaced({ ...plan, seconds: 0, url, path: () => '/', body: undefined })
  expect(result).toMatchObject({ answered: 5, next: 12 })
  expect(asked).toHaveLength(5)
})

test('a refusal that is expected is an answer', async () => {
  const { url, asked } = await serve((_request, response) => response.writeHead(401, { 'Content-Length': 0 }).end())
  const result = await runUnpaced({ ...plan, url, expect: 401, path: () => '/', body: undefined })
  expect(result).toMatchObject({ answered: asked.length, refused: 0, refusal: null })
})

test('a connection that the server closes is a refusal', async () => {
  const { url } = await serve((_request, response) => response.socket?.end())
  expect(await runUnpaced({ ...plan, url, path: () => '/', body: undefined })).toMatchObject({ answered: 0, refused: 5 })
})

test('answers are the same in whatever pieces they come', () => {
  const answers = fc.array(fc.tuple(fc.constantFrom(200, 202, 204, 401), fc.string({ maxLength: 30 })), { maxLength: 5 })
  fc.assert(
    fc.property(answers, fc.array(fc.nat(200)), (wanted, cuts) => {
      const written = wanted.map(([status, text]) => {
        const body = status === 204 ? '' : text
        const length = status === 204 ? '' : `Content-Length: ${Buffer.byteLength(body)}\r\n`
        return { status, body, bytes: `HTTP/1.1 ${status} Said\r\n${length}X: y\r\n\r\n${body}` }
      })
      const all = Buffer.from(written.map(({ bytes }) => bytes).join(''))
      const read: object[] = []
      const take = readAnswers(({ status, body }) => read.push({ status, body: body.toString() }))
      const places = [0, ...cuts.filter((cut) => cut < all.length).toSorted((a, b) => a - b), all.length]
      const shared = Buffer.alloc(all.length)
      for (const [n, from] of places.slice(0, -1).entries()) take(shared.subarray(0, all.copy(shared, 0, from, places[n + 1])))
      expect(read).toEqual(written.map(({ status, body }) => ({ status, body })))
    }),
  )
})
