import { databaseNow } from '@tidings/async/clock'
import { uuidv5 } from '@tidings/codec'
import { claim, claimStream, hasFacts } from '@tidings/domain'
import type { Erasing } from './erasing.ts'
import type { Person } from './person.ts'

/**
 * Frees the addresses, and keeps with them what only the person's stream says of them: it names no person (M45). The request alone has given them
 * up: a claim that is left here is taken over by who wants the address.
 */
export async function releaseClaims(
  { commands, keyRing, now = databaseNow }: Pick<Erasing, 'commands' | 'keyRing' | 'now'>,
  { workspaceId, claimed }: Person,
): Promise<number> {
  for (const { kind, value, claimId, facts } of claimed) {
    const stream = claimStream(workspaceId, kind, await keyRing.claimDigest(workspaceId, kind, value))
    const run = (command: Parameters<typeof claim.decide>[0], step: string): Promise<unknown> =>
      commands.execute({
        decider: claim,
        stream,
        command,
        context: {
          commandId: uuidv5(`${claimId}|${step}`, workspaceId),
          workspaceId,
          actor: 'pipeline',
          requestId: claimId,
          at: new Date(now()).toISOString(),
        },
      })
    if (hasFacts(facts)) await run({ type: 'KeepAddressFacts', data: facts }, 'facts')
    await run({ type: 'ReleaseClaim', data: { claimId } }, 'erased')
  }
  return claimed.length
}
