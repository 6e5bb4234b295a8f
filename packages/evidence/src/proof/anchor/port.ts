import { OperationFailed } from '@tidings/config'
import type { SignedHead } from '../heads.ts'

/** Throws where the tree of now does not continue a head that was anchored before. */
type AssertContinued = (anchored: SignedHead) => Promise<void>

/** A place outside of the installation that keeps tree heads: one that is rewritten later contradicts it. */
export type Anchor = Readonly<{
  /**
   * Resolves when the head is kept there, durably; the same head again changes nothing. Throws `AnchorRefused` where the place holds a history
   * that this one does not continue.
   */
  keep: (head: SignedHead, assertContinued: AssertContinued) => Promise<void>
  close: () => Promise<void>
}>

/** An anchored head contradicts the log. Nothing more is anchored there. */
export class AnchorRefused extends OperationFailed {}
