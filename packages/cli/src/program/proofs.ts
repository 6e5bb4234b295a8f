import type { Command } from 'commander'
import { commandGroup } from './command-group.ts'
import { json, ofWorkspace } from './options.ts'

/** `consent export`, `consent verify`, `log verify`: what an auditor works with. */
export function addProofs(tidings: Command): void {
  const consent = commandGroup(tidings, 'consent', 'what a person consented to, and the proof of it')
  consent
    .command('export')
    .description('write a folder that proves consents without Tidings: report.html, proof.json, and two verifiers')
    .requiredOption(...ofWorkspace)
    .option('--id <id>', 'one contact, by its UUID, email or phone; without it every one that ever had a consent')
    .requiredOption('--out <dir>', 'a new or empty folder')
    .option('--at <time>', 'a moment of the past whose state report.html shows as well, like 2026-11-21T09:00:00Z or 2026-11-21')
    .option('--anchor <file>', "the auditor's copy of the anchor, however old: the export is made to be verified with it")
    .option(...json)
    .action(async (options) => (await import('../commands/consent-export.ts')).exportProof(options))
  consent
    .command('verify <dir>')
    .description(
      'check such a folder; needs neither service nor database; exit 1 when something is wrong, 3 when nothing is and no key was given to trust',
    )
    .option('--key <fingerprint>', 'that of the log it must be of, as `doctor` prints it')
    .option('--anchor <file>', 'the tree heads that were kept outside, one a line')
    .option(...json)
    .action(async (dir, options) => (await import('../commands/consent-verify.ts')).verify(dir, options))
  const log = commandGroup(tidings, 'log', 'the event log')
  log
    .command('verify')
    .description(
      'recompute the tree over the whole log, and compare it with what was signed; stopped, it goes on there; exit 1 when something is wrong, 3 when nothing is and it did not read all',
    )
    .option('--anchor <file>', 'the tree heads that were kept outside, one a line; by default the file of TIDINGS_LOG_ANCHOR')
    .option('--restart', 'begin with the first event again', false)
    .option(
      '--repair',
      'first make the tree anew from the log; refused where a signed head, kept or anchored, is of another history, damaged or of another key, where none is left and something of a tree is, and where events behind the last head are not what the tree says',
      false,
    )
    .option(...json)
    .action(async (options) => (await import('../commands/log-verify.ts')).verify(options))
}
