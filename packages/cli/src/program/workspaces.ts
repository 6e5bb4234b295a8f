import type { Command } from 'commander'
import { json } from './options.ts'

/** `workspace …`. */
export function addWorkspaces(tidings: Command): void {
  const workspace = tidings.command('workspace').description('a workspace and its status')
  workspace
    .command('show <slug>')
    .description('its settings, its status and its embedded forms')
    .option(...json)
    .action(async (slug, options) => (await import('../commands/workspace.ts')).show(slug, options))
  workspace
    .command('suspend <slug>')
    .description('refuse its requests and defer its mail, from now on, everywhere')
    .option('--reason <text>', 'why, for other operators')
    .option(...json)
    .action(async (slug, options) => (await import('../commands/workspace.ts')).suspend(slug, options))
  workspace
    .command('resume <slug>')
    .description('let it work again')
    .option(...json)
    .action(async (slug, options) => (await import('../commands/workspace.ts')).resume(slug, options))
  workspace
    .command('close <slug>')
    .description('suspend it for ever; what is queued fails; asks first')
    .option('--yes', 'do not ask; needed where no terminal is', false)
    .option(...json)
    .action(async (slug, options) => (await import('../commands/workspace.ts')).close(slug, options))
}
