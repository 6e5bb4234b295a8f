import { createWorkspaceSealer, type KeyRing } from '@tidings/codec'
import { INSTALLATION } from '@tidings/domain'
import { createKeptTexts, type KeptTexts } from '@tidings/receipts'
import type { Pool } from 'pg'

/** Texts that people sent and whose workspace is not decided yet, sealed under a secret of the installation. */
export function keptTexts({ pool, keyRing }: Readonly<{ pool: Pool; keyRing: KeyRing }>): KeptTexts {
  const sealer = createWorkspaceSealer(keyRing, 'text from a person')
  return createKeptTexts(pool, {
    digest: (kind, value) => keyRing.claimDigest(INSTALLATION, kind, value),
    seal: (plain) => sealer.seal(INSTALLATION, plain),
    open: (sealed) => sealer.open(INSTALLATION, sealed),
  })
}
