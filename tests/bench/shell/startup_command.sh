# SHELL -c :
## group: startup
## n: 300
## repeat: 300
## args: -c :
