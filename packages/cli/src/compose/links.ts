import { parseMasterKey } from '@tidings/codec'
import { type Config, publicUrl } from '@tidings/config'
import { createLinks, type Links } from '@tidings/tracking'

/** The links that mails carry, under the master key; those of mail that was sent under a previous one still open. */
export const linksOf = ({ http, secrets }: Pick<Config, 'http' | 'secrets'>, masterKey: string): Links => {
  const derive = (key: string) => parseMasterKey(key).derive
  return createLinks({ publicUrl: publicUrl(http), derive: [derive(masterKey), ...secrets.previousMasterKeys.map(derive)] })
}
