import { databaseNow } from '@tidings/clock'
import { uuidv7 } from '@tidings/codec'
import { createCommandRunner } from '@tidings/commands'
import { type Config, publicUrl } from '@tidings/config'
import { type CampaignPreview, previewCopy } from '@tidings/consumers'
import type { Stores } from '../stores/open-stores.ts'
import { madeOrFail, type OneCopy } from './one-copy.ts'

type Preview = Readonly<{ copy: ReturnType<typeof madeOrFail>; hold: CampaignPreview['hold']; unsubscribeUrl: string }>

/** What a contact would get of a campaign now, and what would keep it back. Sends and writes nothing: the link to unsubscribe leads nowhere. */
export async function previewCampaign({ stores, config }: Readonly<{ stores: Stores; config: Config }>, of: OneCopy): Promise<Preview> {
  const { log, pool } = stores
  const unsubscribeUrl = `${publicUrl(config.http)}/u?t=preview`
  const wanted = { ...of, messageId: uuidv7(), unsubscribeUrl }
  const { copy, hold } = await previewCopy({ log, commands: createCommandRunner({ log }), pool, now: databaseNow }, wanted)
  return { copy: madeOrFail(copy), hold, unsubscribeUrl }
}
