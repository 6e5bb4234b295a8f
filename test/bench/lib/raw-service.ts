import fastify from 'fastify'

/** The unit of the ladder: what Node and Fastify cost before anything is done. Prints where it listens. */
const app = fastify()
const schema = { response: { 200: { type: 'object', properties: { status: { type: 'string' } } } } }
app.get('/', { schema }, async () => ({ status: 'live' }))

process.stdout.write(`${await app.listen({ port: 0, host: '127.0.0.1' })}\n`)
process.on('SIGTERM', () => process.exit(0))
