import type { MasterKeys } from '@tidings/codec'
import { type Config, publicUrl } from '@tidings/config'
import { createLinks, type Links } from '@tidings/tracking'

/** The links that mails carry, under the master key; those of mail that was sent under one that it replaced still open. */
export const linksOf = ({ http }: Pick<Config, 'http'>, masters: Pick<MasterKeys, 'derivers'>): Links =>
  createLinks({ publicUrl: publicUrl(http), derive: masters.derivers })
