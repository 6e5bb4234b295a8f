import { type ContentStore, contentStore } from '@tidings/codec'
import type { CommandApiDependencies } from '@tidings/command-api'
import { type CommandRunner, createCommandRunner, writtenBy } from '@tidings/commands'
import type { Config } from '@tidings/config'
import type { Directory } from '@tidings/directory'
import { contactSubject, type EmailContent } from '@tidings/domain'
import type { Log } from '@tidings/log'
import { kyselyOn } from '@tidings/postgres'
import type { ReadSide } from '@tidings/projections'
import { memberCounts, profileById, type ReadModels, toProfile } from '@tidings/read-models'
import { createUniqueContacts } from '@tidings/unique-contacts'
import type { Stores } from '../stores/stores.ts'
import { linksOf } from './links.ts'
import { messagesShown } from './messages.ts'
import { webhookSide } from './webhooks.ts'

export type CommandSide = Readonly<{ commands: CommandRunner; contents: ContentStore<EmailContent>; dependencies: CommandApiDependencies }>

type Beside = Readonly<{ directory: Directory; readSide: ReadSide; log: Log; config: Config }>

/** Everything that decides and appends, wired once a process. */
export const commandSide = (
  { log: eventLog, keyRing, pool, masters }: Stores,
  { directory, readSide, log, config }: Beside,
): CommandSide => {
  const commands = createCommandRunner({ log: eventLog })
  const uniqueContacts = createUniqueContacts({
    runner: commands,
    claimDigest: keyRing.claimDigest,
    createKey: (workspaceId, contactId) => keyRing.newKeyFor(workspaceId, contactSubject({ contactId })),
    onUnreleased: (error) => log.warn({ err: error }, 'a claim was not released; the next claim of the address heals it'),
  })
  const db = kyselyOn<ReadModels>(pool)
  const find = profileById(db)
  const findProfile: CommandApiDependencies['findProfile'] = async (workspaceId, contactId) => {
    const row = await find(workspaceId, contactId)
    return row ? toProfile(row) : null
  }
  const contents = contentStore<EmailContent>({ pool, keyRing })
  const dependencies: CommandApiDependencies = {
    commands,
    uniqueContacts,
    directory,
    contents,
    links: linksOf(config, masters),
    readSide,
    findProfile,
    memberCounts: memberCounts(db),
    writtenBy: (stream, context) => writtenBy(eventLog, stream, context),
    ...messagesShown({ pool, log: eventLog, readSide }),
    webhooks: webhookSide(config, eventLog),
    providerSecret: config.secrets.providerSecret,
    pool,
    now: () => new Date().toISOString(),
  }
  return { commands, contents, dependencies }
}
