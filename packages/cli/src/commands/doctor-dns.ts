import type { Config } from '@tidings/config'
import { createServerResolver } from '@tidings/outbound-http'

/** A name that never exists (RFC 6761): a server answers without asking another one. */
const NO_HOST = 'tidings.invalid'

const answers = (server: string): Promise<boolean> =>
  createServerResolver([server])(NO_HOST).then(
    () => true,
    () => false,
  )

/** Asks each server of TIDINGS_DNS_SERVERS; throws one sentence that names those that do not answer. */
export async function checkDns({ dns: { servers } }: Readonly<{ dns: Pick<Config['dns'], 'servers'> }>): Promise<string> {
  if (servers.length === 0) return 'webhook hosts are looked up as this machine does'
  const asked = await Promise.all(servers.map(async (server) => ({ server, answered: await answers(server) })))
  const silent = asked.filter(({ answered }) => !answered).map(({ server }) => server)
  if (silent.length > 0) throw new Error(`no answer from ${silent.join(', ')}.`)
  return `${servers.join(', ')} answers`
}
