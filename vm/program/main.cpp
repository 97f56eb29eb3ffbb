// The program `cairn`: a host of libcairn like any other.
#include "vm/embedding/cairn.h"

int main(int argc, char** argv) { return cairn_command_line(argc, argv); }
