import type { FastifyReply } from 'fastify'

/** Has the browser keep what is sent as a file, and run nothing of it where somebody opens it. `name` is ours: no word of a person. */
export function asDownload(reply: FastifyReply, { name, type }: Readonly<{ name: string; type: string }>): FastifyReply {
  reply.header('Content-Disposition', `attachment; filename="${name}"`)
  reply.header('Content-Security-Policy', "sandbox; default-src 'none'; style-src 'unsafe-inline'")
  return reply.type(type)
}
