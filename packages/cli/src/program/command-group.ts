import type { Command } from 'commander'

/** The commands that begin with a word, where several files add to them: the first that asks describes it. */
export function commandGroup(tidings: Command, word: string, description: string): Command {
  return tidings.commands.find((command) => command.name() === word) ?? tidings.command(word).description(description)
}
