import { group } from '../../command.js';
import { pluginInit } from './plugin-init.js';
import { pluginList } from './plugin-list.js';
import { pluginLogs } from './plugin-logs.js';
import { pluginDisable, pluginEnable } from './plugin-switch.js';
import { pluginUninstall } from './plugin-uninstall.js';

export const define = group(
  {
    init: pluginInit,
    list: pluginList,
    logs: pluginLogs,
    enable: pluginEnable,
    disable: pluginDisable,
    uninstall: pluginUninstall,
  },
  [
    'xsvc plugin init note',
    'xsvc plugin list',
    'xsvc plugin disable person',
    'xsvc plugin uninstall person --export ./persons --yes',
  ],
);
