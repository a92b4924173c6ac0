import { environmentName, SETTING_NAMES } from '../../../src/config.js';
import { SECRET_NAMES } from '../../../src/lib/process/secrets.js';
import { commandPaths, helpOf, documentedSettings } from '../../helpers/reference.js';

/** Each key of the configuration file with its flag, its variable and its default, and the other variables that are read. */
export async function settingFacts(): Promise<string[]> {
  const reported = new Map((await documentedSettings()).map((setting) => [setting.name, setting] as const));
  const settings = SETTING_NAMES.map((name) => {
    const setting = reported.get(name);
    if (setting === undefined) return `key ${name}: of the file alone`;
    const fallback = setting.fallback ?? (setting.isSwitch ? 'off' : 'none');
    return `key ${name}: ${setting.flag}, ${environmentName(name)}, default ${fallback}`;
  });
  const ofSettings = SETTING_NAMES.map(environmentName);
  const others = [...SECRET_NAMES, ...(await namedVariables())].filter((name) => !ofSettings.includes(name));
  return [...settings, ...others.map((name) => `variable ${name}`)];
}

/** Those that the help of some command names. */
async function namedVariables(): Promise<string[]> {
  const helps = await Promise.all([[], ...(await commandPaths())].map((command) => helpOf(command)));
  return helps.flatMap((help) => help.match(/\bXSVC_[A-Z_]+\b/g) ?? []);
}
